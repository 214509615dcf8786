import { type Endpoint, endpoint } from '../endpoint.ts'
import { buildOpenApi } from '../openapi/document.ts'
import * as s from '../schema/schema.ts'
import { TAG } from './status.ts'

/** @param endpoints all of the API, this one included; called when the document is first asked for */
export function openApiEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  let document: { readonly [name: string]: unknown } | undefined
  return endpoint({
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'getOpenApiDocument',
    tag: TAG,
    summary: 'Get this description as OpenAPI 3.1',
    description: 'Needs no authentication.',
    scope: null,
    response: s.map(s.anything()),
    async run() {
      document ??= buildOpenApi(endpoints())
      return document
    },
  })
}
