/** The OpenAPI 3.1 document, as a pure function of the endpoints: what is served, what is committed and what is checked are one. */

import type { Endpoint } from '../endpoint.ts'
import { declaredErrors } from '../errors/declared-errors.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { ERROR_EXAMPLES, ERROR_SCHEMA, HEADERS, PARAMETERS, SIGNATURE_HEADERS, TAGS } from './components.ts'
import { exampleOf } from './examples.ts'
import { REQUEST_EXAMPLES } from './request-examples.ts'
import { hasTag, responsesOf } from './responses.ts'
import { component, type Json, type Schemas } from './schemas.ts'
import { eventSchema, type ToldEvent, WEBHOOK_EVENTS } from './webhook-events.ts'

/** D28: the machine-readable description's own version. */
const VERSION = '0.1.0'

const INTRODUCTION = [
  'Email hosting and sending: domains, mailboxes, inboxes, threads.',
  'Authenticate with `Authorization: Bearer <API_KEY>`. Timestamps are ISO 8601 in UTC with milliseconds; every resource names its',
  'kind in `object`. Unknown members of a request are ignored, and clients must ignore unknown members of an answer.',
].join(' ')

export function buildOpenApi(endpoints: readonly Endpoint[]): Json {
  const schemas: Schemas = {}
  const paths: { [path: string]: { [method: string]: Json } } = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint, schemas),
    }
  }
  const used = new Set(endpoints.map((endpoint) => endpoint.tag))
  const tags = Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }))
  const codes = new Set(endpoints.flatMap((endpoint) => declaredErrors(endpoint)))
  const examples = Object.entries(ERROR_EXAMPLES).filter(([code]) => codes.has(code as never))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthouse API',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api', description: 'This server; paths answer without the prefix too.' }],
    tags,
    paths,
    webhooks: webhooks(schemas),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the organization.' } },
      schemas: sorted({ ...schemas, Error: ERROR_SCHEMA }),
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: Object.fromEntries(examples),
    },
  }
}

/** What a receiver is asked, by event. */
function webhooks(schemas: Schemas): Json {
  const entries = Object.entries(WEBHOOK_EVENTS).map(([type, { meaning }]) => {
    const schema = eventSchema(type as ToldEvent).json
    const media = { schema: component(schema, schemas), example: exampleOf(schema) }
    const post = {
      operationId: `on.${type}`,
      tags: ['Webhooks'],
      summary: meaning,
      security: [],
      parameters: SIGNATURE_HEADERS.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': media } },
      responses: {
        '2XX': { description: 'Taken.' },
        410: { description: 'Never again: the webhook is switched off.' },
        default: { description: 'The event is told again later, five times in all.' },
      },
    }
    return [type, { post }]
  })
  return Object.fromEntries(entries)
}

function operation(endpoint: Endpoint, schemas: Schemas): Json {
  const { scopes, tier } = endpoint
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: scopes === null ? [] : scopes.map((scope) => ({ apiKey: [scope] })),
    ...(tier !== null && { 'x-rate-tier': tier }),
    parameters: parameters(endpoint, schemas),
    ...(endpoint.body && { requestBody: requestBody(endpoint, endpoint.body, schemas) }),
    responses: responsesOf(endpoint, schemas),
  }
}

function parameters(endpoint: Endpoint, schemas: Schemas): Json[] {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' }, example: PATH_EXAMPLES[name!] ?? 'string' }
  })
  const properties = (endpoint.query?.['properties'] ?? {}) as { [name: string]: JsonSchema }
  const required = (endpoint.query?.['required'] ?? []) as string[]
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = component(schema, schemas) as JsonSchema
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
  const names: (keyof typeof PARAMETERS)[] = [
    ...(endpoint.method === 'POST' && endpoint.scopes !== null ? (['Idempotency-Key'] as const) : []),
    ...(hasTag(endpoint) ? (['If-None-Match'] as const) : []),
    ...(endpoint.streams ? (['Range'] as const) : []),
  ]
  return [...inPath, ...inQuery, ...names.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
}

const PATH_EXAMPLES: { readonly [name: string]: string } = {
  domain_id: 'dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq',
  mailbox_id: 'mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq',
  message_id: 'msg_aaaaaaaaayaaaaaaaaaagbnm5hta',
  thread_id: 'thr_aaaaaaaaayaaaaaaaaaagcgjr7sa',
  folder_id: 'fld_aaaaaaaaayaaaaaaaaaacwhgpxra',
  alias_id: 'als_aaaaaaaaayaaaaaaaaaacwhgpxra',
  webhook_id: 'wh_aaaaaaaaayaaaaaaaaaacwhgpxra',
  delivery_id: 'whd_aaaaaaaaayaaaaaaaaaacwhgpxra',
  key_id: 'key_aaaaaaaaayaaaaaaaaaacwhgpxra',
  email: 'jane@example.org',
}

function requestBody(endpoint: Endpoint, schema: JsonSchema, schemas: Schemas): Json {
  const example = REQUEST_EXAMPLES[endpoint.operationId] ?? exampleOf(schema, { given: true })
  const media = { schema: component(schema, schemas), example }
  return { required: ((schema['required'] ?? []) as string[]).length > 0, content: { 'application/json': media } }
}

function sorted(object: { [name: string]: unknown }): Json {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
