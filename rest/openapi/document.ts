/** The OpenAPI 3.1 document, as a pure function of the endpoints. The server answers with it, and spec/openapi.json is a copy. */

import type { Endpoint, Tag } from '../endpoint.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { ERROR_EXAMPLES, ERROR_SCHEMA, HEADERS, PARAMETERS, SIGNATURE_HEADERS } from './components.ts'
import { exampleOf } from './examples.ts'
import { hasTag, responsesOf } from './responses.ts'
import { component, type Json, type Schemas } from './schemas.ts'
import { eventSchema, WEBHOOK_EVENT_TYPES, WEBHOOK_EVENTS } from './webhook-events.ts'

/** Decision D28: the version of the document. */
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
  const codes = new Set<string>(endpoints.flatMap((endpoint) => endpoint.errors))
  const examples = Object.entries(ERROR_EXAMPLES).filter(([code]) => codes.has(code))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthouse API',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api', description: 'This server. Paths also work without the prefix.' }],
    tags: tagsOf(endpoints).map(({ name, description }) => ({ name, description })),
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

/** In the order of their first endpoints, unless a tag has another order. */
function tagsOf(endpoints: readonly Endpoint[]): Tag[] {
  const tags: Tag[] = []
  for (const { tag } of endpoints) {
    if (tags.some(({ name }) => name === tag.name)) continue
    const before = tags.findIndex(({ name }) => name === tag.after)
    tags.splice(before < 0 ? tags.length : before + 1, 0, tag)
  }
  return tags
}

/** The requests that a receiver of webhooks gets, by event. */
function webhooks(schemas: Schemas): Json {
  const entries = WEBHOOK_EVENT_TYPES.map((type) => {
    const schema = eventSchema(type).json
    const media = { schema: component(schema, schemas), example: exampleOf(schema) }
    const post = {
      operationId: `on.${type}`,
      tags: ['Webhooks'],
      summary: WEBHOOK_EVENTS[type].meaning,
      security: [],
      parameters: SIGNATURE_HEADERS.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': media } },
      responses: {
        '2XX': { description: 'Accepted.' },
        410: { description: 'No further delivery: the webhook is switched off.' },
        default: { description: 'The event is delivered again later, five attempts in all.' },
      },
    }
    return [type, { post }]
  })
  return Object.fromEntries(entries)
}

function operation(endpoint: Endpoint, schemas: Schemas): Json {
  const { scope, tier } = endpoint
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag.name],
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: scope === null ? [] : [{ apiKey: [scope] }],
    ...(tier !== null && { 'x-rate-tier': tier }),
    parameters: parameters(endpoint, schemas),
    ...(endpoint.body && { requestBody: requestBody(endpoint, endpoint.body, schemas) }),
    responses: responsesOf(endpoint, schemas),
  }
}

function parameters(endpoint: Endpoint, schemas: Schemas): Json[] {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const example = { ...PATH_EXAMPLES, ...endpoint.pathExamples }[name] ?? 'string'
    return { name, in: 'path', required: true, schema: { type: 'string' }, example }
  })
  const { properties = {}, required = [] } = endpoint.query ?? {}
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = component(schema, schemas)
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
  const names: (keyof typeof PARAMETERS)[] = [
    ...(endpoint.method === 'POST' && endpoint.scope !== null ? (['Idempotency-Key'] as const) : []),
    ...(endpoint.resource ? (['If-Match'] as const) : []),
    ...(hasTag(endpoint) ? (['If-None-Match'] as const) : []),
    ...(endpoint.hasRanges ? (['Range'] as const) : []),
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
  booking_page_id: 'bkp_aaaaaaaaaeaaaaaaaaaaipjaxmoq',
  newsletter_id: 'nws_aaaaaaaaaeaaaaaaaaaaipjaxmoq',
  asset_id: 'nwa_aaaaaaaaaeaaaaaaaaaaipjaxmoq',
  audience_id: 'aud_aaaaaaaaaeaaaaaaaaaaipjaxmoq',
  subscriber_id: 'sub_aaaaaaaaaeaaaaaaaaaaipjaxmoq',
  webhook_id: 'wh_aaaaaaaaayaaaaaaaaaacwhgpxra',
  delivery_id: 'whd_aaaaaaaaayaaaaaaaaaacwhgpxra',
  import_id: 'imp_aaaaaaaaayaaaaaaaaaaaif7mwq',
  key_id: 'key_aaaaaaaaayaaaaaaaaaacwhgpxra',
  email: 'jane@example.org',
}

function requestBody(endpoint: Endpoint, schema: JsonSchema, schemas: Schemas): Json {
  const { bodyType } = endpoint
  if (bodyType !== undefined) return { required: true, content: { [bodyType]: { schema: component(schema, schemas) } } }
  const example = endpoint.bodyExample ?? exampleOf(schema, true)
  const media = { schema: component(schema, schemas), example }
  const octets = endpoint.uploadLimit !== undefined && {
    'application/octet-stream': { schema: { type: 'string', format: 'binary', maxLength: endpoint.uploadLimit } },
  }
  // Every body of the API has at least one member that must be there, or one of several.
  return { required: true, content: { 'application/json': media, ...octets } }
}

function sorted(object: { [name: string]: unknown }): Json {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
