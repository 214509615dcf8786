/** Headers that every answer carries: what browsers must not do with it. Handlers may say otherwise for their own. */
import type { ServerResponse } from 'node:http'

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  // Answers are data: nothing in them is to be run, framed or taken for another type.
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  // CORS decides who reads; without this a page that requires CORP could not use the API at all.
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
