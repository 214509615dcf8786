/** Security header fields of every response. A handler may override them. */
import type { ServerResponse } from 'node:http'

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  // Responses are data: browsers must not run, frame or sniff them.
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  // CORS decides who may read. Without this field a page that requires CORP could not use the API.
  ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
]

// RFC 6797 7.2: not over plain HTTP.
const STRICT_TRANSPORT = 'max-age=31536000'

export function setBaseHeaders(response: ServerResponse, secure: boolean): void {
  for (const [name, value] of HEADERS) response.setHeader(name, value)
  if (secure) response.setHeader('Strict-Transport-Security', STRICT_TRANSPORT)
}
