/** The answers of an operation in the OpenAPI document: successes and errors by status. */

import type { Endpoint } from '../endpoint.ts'
import { API_ERRORS, type ApiErrorCode } from '../errors/api-error.ts'
import { type HEADERS, RATE_HEADERS } from './components.ts'
import { exampleOf } from './examples.ts'
import { component, type Json, type Schemas } from './schemas.ts'

type Header = keyof typeof HEADERS

const WORDS: { readonly [status: number]: string } = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.' }
const FILE = { '*/*': { schema: { type: 'string', format: 'binary' } } }

function fileOf({ textType }: Endpoint): Json {
  return textType === undefined ? FILE : { [textType]: { schema: { type: 'string' } } }
}

export function responsesOf(endpoint: Endpoint, schemas: Schemas): Json {
  return { ...successes(endpoint, schemas), ...parts(endpoint), ...failures(endpoint) }
}

/** Whether an answer has an ETag, so that a client can ask whether it has changed. */
export function hasTag(endpoint: Endpoint): boolean {
  return endpoint.streams || endpoint.isSingle
}

function successes(endpoint: Endpoint, schemas: Schemas): Json {
  const headers = headersOf(successHeaders(endpoint))
  const entries = [...endpoint.responses].map(([status, schema]) => {
    if (endpoint.streams) return [status, { description: 'The file.', headers, content: fileOf(endpoint) }]
    if (!schema) return [status, { description: 'Done; no content.', headers }]
    const media = { schema: component(schema, schemas), example: exampleOf(schema) }
    const file = endpoint.fileType === undefined ? {} : { [endpoint.fileType]: { schema: { type: 'string' } } }
    const content = { 'application/json': media, ...file }
    return [status, { description: WORDS[status] ?? 'Success.', headers, content }]
  })
  return Object.fromEntries(entries)
}

/** Answers to requests with the header fields Range and If-None-Match. */
function parts(endpoint: Endpoint): Json {
  const unchanged = { description: 'Not modified.', headers: headersOf(['X-Request-Id', 'ETag']) }
  const part = {
    description: 'A part of the file.',
    headers: headersOf(['X-Request-Id', 'ETag', 'Content-Range']),
    content: FILE,
  }
  return { ...(endpoint.hasRanges && { 206: part }), ...(hasTag(endpoint) && { 304: unchanged }) }
}

function successHeaders(endpoint: Endpoint): Header[] {
  const names: Header[] = ['X-Request-Id', 'Cache-Control']
  if (endpoint.tier) names.push(...RATE_HEADERS)
  if (endpoint.body || endpoint.query) names.push('Posthouse-Warning')
  if (endpoint.method === 'POST' && endpoint.scope) names.push('Idempotent-Replayed')
  if (hasTag(endpoint) || endpoint.showsResource) names.push('ETag')
  if (endpoint.streams) names.push('Content-Disposition')
  return names
}

function failures(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ApiErrorCode[]>()
  for (const code of endpoint.errors) {
    const { status } = API_ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b)
  return Object.fromEntries(sorted.map(([status, codes]) => [status, failure(endpoint, status, codes)]))
}

function failure(endpoint: Endpoint, status: number, codes: readonly ApiErrorCode[]): Json {
  const headers: Header[] = ['X-Request-Id', ...(FAILURE_HEADERS[status] ?? [])]
  if (codes.includes('idempotency_in_progress')) headers.push('Retry-After')
  // Every request with a key counts towards the limit.
  if (endpoint.tier && status !== 401) headers.push(...RATE_HEADERS)
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  const schema = { $ref: '#/components/schemas/Error' }
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: headersOf(headers),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}

const FAILURE_HEADERS: { readonly [status: number]: readonly Header[] } = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

function headersOf(names: readonly Header[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
