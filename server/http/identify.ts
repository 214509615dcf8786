/**
 * Authenticates a request by its Authorization field: Basic with mailbox address and password, or Bearer with an API key. Resources that
 * browsers load by themselves also take a token of the session in their URL.
 */
import type { IncomingMessage } from 'node:http'
import type { Credential } from '../../jmap/directory/authentication.ts'
import type { UrlUse } from '../../jmap/type/url-token.ts'
import { readAuthorization } from '../base/http/request-fields.ts'
import type { Principal } from '../base/principal.ts'
import { type HttpProblem, problem } from './problem.ts'

export interface Identifier {
  authenticate(credential: Credential): Promise<Principal | null>
  secondsToWait(credential: Credential): number
}

/** The token of a URL, and what it must be for. */
export interface UrlCredential {
  readonly token: string
  readonly use: UrlUse
}

/** @throws HttpProblem 401, 429 */
export async function identify(
  authenticator: Identifier,
  request: IncomingMessage,
  ip: string,
  url: UrlCredential | null = null,
): Promise<Principal> {
  const { authorization } = request.headers
  const credential =
    url && authorization === undefined ? ({ kind: 'url', ...url, ip } as const) : credentialOf(request, ip)
  if (!credential) throw unauthorized('Authenticate with a mailbox address and its password, or with an API key.')
  const principal = await authenticator.authenticate(credential)
  if (principal) return principal
  const seconds = authenticator.secondsToWait(credential)
  if (seconds === 0 && credential.kind === 'url') throw tokenRefused()
  if (seconds === 0) throw unauthorized('These credentials are not valid.')
  throw problem(429, `Too many failed attempts. Try again in ${seconds} s.`, { 'Retry-After': String(seconds) })
}

// RFC 9110 11.6.1: a 401 names the schemes to use. RFC 7617 2.1: the charset of Basic.
const CHALLENGE = 'Basic realm="Posthouse", charset="UTF-8", Bearer realm="Posthouse"'

function unauthorized(detail: string): HttpProblem {
  return problem(401, detail, { 'WWW-Authenticate': CHALLENGE })
}

/** RFC 6750 3.1. Without Basic, for which browsers would ask the user. */
function tokenRefused(): HttpProblem {
  return problem(401, 'The token in the URL is not valid, or not any more. Fetch the session again.', {
    'WWW-Authenticate': 'Bearer realm="Posthouse", error="invalid_token"',
  })
}

/** null: the field holds no credential of these schemes. */
function credentialOf({ headers }: IncomingMessage, ip: string): Credential | null {
  const given = readAuthorization(headers.authorization)
  if (given?.scheme === 'bearer') return { kind: 'bearer', token: given.credentials, ip }
  if (given?.scheme !== 'basic') return null
  // RFC 7617 2: the user-id ends at the first colon.
  const pair = /^([^:]*):(.*)$/s.exec(Buffer.from(given.credentials, 'base64').toString('utf8'))
  const device = headers['user-agent'] ?? ''
  return pair ? { kind: 'password', address: pair[1]!, password: pair[2]!, ip, device } : null
}
