/** Cross-origin requests. Keys are sent in a header and never in a cookie, so any origin is allowed unless the operator names some. */
import type { ServerResponse } from 'node:http'
import { PREFLIGHT_SECONDS } from '../limits.ts'
import { setHeaders } from './respond.ts'

const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Range'
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  'Posthouse-Warning',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
].join(', ')

export type CorsOrigins = '*' | readonly string[]

export function corsHeaders(origin: string | undefined, allowed: CorsOrigins): Record<string, string> {
  const exposed = { 'Access-Control-Expose-Headers': EXPOSED_HEADERS }
  if (allowed === '*') return { 'Access-Control-Allow-Origin': '*', ...exposed }
  if (origin === undefined || !allowed.includes(origin)) return { Vary: 'Origin' }
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin', ...exposed }
}

/** Answers OPTIONS, which browsers send first, without credentials. */
export function answerPreflight(response: ServerResponse, methods: readonly string[]): void {
  setHeaders(response, {
    Allow: methods.join(', '),
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  })
  response.statusCode = 204
  response.end()
}
