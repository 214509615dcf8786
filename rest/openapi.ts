/** The OpenAPI 3.1 document, as a pure function of the endpoints: what is served, what is committed and what is checked are one. */
import { declaredErrors } from './declared-errors.ts'
import type { Endpoint } from './endpoint.ts'
import { exampleOf } from './examples.ts'
import { ERROR_EXAMPLES, ERROR_SCHEMA, HEADERS, IDEMPOTENCY_KEY } from './openapi-parts.ts'
import { PROBLEMS, type ProblemCode } from './problem.ts'
import { type JsonSchema, NAME } from './schema.ts'

type Json = { [name: string]: unknown }

/** D28: the machine-readable description's own version. */
const VERSION = '0.1.0'

const INTRODUCTION = [
  'Email hosting and sending: domains, mailboxes, inboxes, threads.',
  'Authenticate with `Authorization: Bearer <API_KEY>`. Timestamps are ISO 8601 in UTC with milliseconds; every resource names its',
  'kind in `object`. Unknown members of a request are ignored, and clients must ignore unknown members of an answer.',
].join(' ')

export function buildOpenApi(endpoints: readonly Endpoint[]): Json {
  const schemas: { [name: string]: unknown } = {}
  const paths: { [path: string]: { [method: string]: Json } } = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint, schemas),
    }
  }
  const tags = [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name }))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthouse API',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api', description: 'This server. Paths answer without the `/api` prefix too.' }],
    tags,
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the organization.' } },
      schemas: sorted({ ...schemas, Error: ERROR_SCHEMA }),
      headers: HEADERS,
      examples: ERROR_EXAMPLES,
    },
  }
}

function operation(endpoint: Endpoint, schemas: { [name: string]: unknown }): Json {
  const { scopes, tier } = endpoint
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: scopes === null ? [] : scopes.map((scope) => ({ apiKey: [scope] })),
    ...(tier !== null && { 'x-rate-tier': tier }),
    parameters: parameters(endpoint, schemas),
    ...(endpoint.body && { requestBody: requestBody(endpoint.body, schemas) }),
    responses: { ...successes(endpoint, schemas), ...failures(endpoint) },
  }
}

function parameters(endpoint: Endpoint, schemas: { [name: string]: unknown }): Json[] {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } }
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
  const repeatable = endpoint.method === 'POST' && endpoint.scopes !== null ? [IDEMPOTENCY_KEY] : []
  return [...inPath, ...inQuery, ...repeatable]
}

function requestBody(schema: JsonSchema, schemas: { [name: string]: unknown }): Json {
  const media = { schema: component(schema, schemas), example: exampleOf(schema, { given: true }) }
  return { required: ((schema['required'] ?? []) as string[]).length > 0, content: { 'application/json': media } }
}

function successes(endpoint: Endpoint, schemas: { [name: string]: unknown }): Json {
  const entries = [...endpoint.responses].map(([status, schema]) => {
    const headers = successHeaders(endpoint)
    if (endpoint.streams) return [status, { description: 'The file.', headers, content: FILE }]
    if (!schema) return [status, { description: 'Done; no content.', headers }]
    const media = { schema: component(schema, schemas), example: exampleOf(schema) }
    const file = endpoint.fileType === undefined ? {} : { [endpoint.fileType]: { schema: { type: 'string' } } }
    return [
      status,
      { description: SUCCESS_WORDS[status] ?? 'Success.', headers, content: { 'application/json': media, ...file } },
    ]
  })
  const more = endpoint.streams
    ? { 206: { description: 'A part of the file.', content: FILE }, 304: { description: 'Not modified.' } }
    : {}
  return { ...(Object.fromEntries(entries) as Json), ...more }
}

const SUCCESS_WORDS: { readonly [status: number]: string } = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.' }
const FILE = { '*/*': { schema: { type: 'string', format: 'binary' } } }

function successHeaders(endpoint: Endpoint): Json {
  const names = [
    'X-Request-Id',
    ...(endpoint.tier ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []),
  ]
  if (endpoint.method === 'POST' && endpoint.scopes) names.push('Idempotent-Replayed')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function failures(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of declaredErrors(endpoint)) {
    const { status } = PROBLEMS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries([...byStatus].sort(([a], [b]) => a - b).map(([status, codes]) => [status, failure(codes)]))
}

function failure(codes: readonly ProblemCode[]): Json {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  }
}

/** A named schema goes to the components, once; where it was used a reference stays. */
function component(schema: JsonSchema, schemas: { [name: string]: unknown }): unknown {
  const name = schema[NAME]
  if (name === undefined) return plain(schema, schemas)
  schemas[name] ??= plain(schema, schemas)
  return { $ref: `#/components/schemas/${name}` }
}

function plain(schema: JsonSchema, schemas: { [name: string]: unknown }): JsonSchema {
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, inner(keyword, value, schemas)]))
}

function inner(keyword: string, value: unknown, schemas: { [name: string]: unknown }): unknown {
  if (keyword === 'properties') {
    const properties = Object.entries(value as { [name: string]: JsonSchema })
    return Object.fromEntries(properties.map(([name, child]) => [name, component(child, schemas)]))
  }
  if (keyword === 'anyOf') return (value as JsonSchema[]).map((child) => component(child, schemas))
  if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value === 'object')) {
    return component(value as JsonSchema, schemas)
  }
  return value
}

function sorted(object: { [name: string]: unknown }): Json {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
