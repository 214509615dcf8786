/** Sends the answers of the booking pages: HTML for people, JSON for programs. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { setHeaders } from '../../base/http/respond.ts'
import { acceptsGzip } from './assets.ts'

/** What may frame the answer: the origins of a page, or none. */
export type FrameAncestors = readonly string[]

function policy(ancestors: FrameAncestors, hasScript: boolean): string {
  return [
    "default-src 'none'",
    ...(hasScript ? ["script-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self'",
    ...(hasScript ? ["connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
  ].join('; ')
}

/** A page as browsers take it. */
export interface EncodedHtml {
  readonly plain: Buffer
  readonly zipped: Buffer
}

export async function encodeHtml(text: string): Promise<EncodedHtml> {
  const plain = Buffer.from(text)
  return { plain, zipped: await promisify(gzip)(plain) }
}

export interface HtmlAnswer {
  readonly status: number
  readonly text: string | EncodedHtml
  readonly language: string
  readonly ancestors?: FrameAncestors
  /** Whether the page has the script of booking pages. */
  readonly hasScript?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** No cache keeps it: slots change with every event, and pages of bookings are private. */
export async function sendHtml(request: IncomingMessage, response: ServerResponse, answer: HtmlAnswer): Promise<void> {
  const { status, text, language, ancestors = [], hasScript = false, headers = {} } = answer
  const zips = acceptsGzip(request)
  const given = typeof text !== 'string' ? text : zips ? await encodeHtml(text) : { plain: Buffer.from(text) }
  const bytes = zips && 'zipped' in given ? given.zipped : given.plain
  // X-Frame-Options cannot name origins, and browsers would obey it beside the policy.
  if (ancestors.length > 0) response.removeHeader('X-Frame-Options')
  setHeaders(response, {
    'Content-Security-Policy': policy(ancestors, hasScript),
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': language,
    'Cache-Control': 'no-store',
    Vary: 'Accept, Accept-Encoding, Accept-Language',
    ...(zips && { 'Content-Encoding': 'gzip' }),
    'Content-Length': String(bytes.length),
    ...headers,
  })
  response.statusCode = status
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** By default to the page that follows a form: the request's body is not sent there. */
export function redirect(response: ServerResponse, location: string, status: 303 | 308 = 303): void {
  setHeaders(response, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': '0' })
  response.statusCode = status
  response.end()
}

export function sendData(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body)
  setHeaders(response, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': String(Buffer.byteLength(text)),
    ...headers,
  })
  response.statusCode = status
  response.end(request.method === 'HEAD' ? undefined : text)
}

/** The envelope of the API's errors (decision D1). */
export function errorBody(
  response: ServerResponse,
  error: {
    readonly type: string
    readonly code: string
    readonly message: string
    readonly details?: readonly object[]
  },
): object {
  const { type, code, message, details } = error
  return { error: { type, code, message, request_id: response.getHeader('X-Request-Id'), ...(details && { details }) } }
}

/** Whether the client is a program: it sends JSON, or prefers it. */
export function wantsData({ headers }: IncomingMessage): boolean {
  if (/^application\/json\b/i.test(headers['content-type'] ?? '')) return true
  const accept = headers.accept ?? ''
  return /application\/json/i.test(accept) && !/text\/html/i.test(accept)
}
