/** HTTP errors as RFC 7807 problem details. JMAP's request problems (jmap/protocol) are sent by the same function. */
import type { RequestProblem } from '../../jmap/protocol/request-problem.ts'
import { type ServerResponse, STATUS_CODES } from '../base/http/node-http.ts'
import { send, setHeaders } from '../base/http/respond.ts'

export interface ProblemDetails {
  /** URI of the kind of problem; `about:blank` if the status is enough. */
  readonly type: string
  readonly status: number
  readonly detail: string
  readonly limit?: string
}

/** Thrown by handlers; the listener sends it. Its message is for the client. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly details: ProblemDetails
  readonly headers: Readonly<Record<string, string>>

  constructor(details: ProblemDetails, headers: Readonly<Record<string, string>> = {}) {
    super(details.detail)
    this.details = details
    this.headers = headers
  }
}

/** A problem without its own type. */
export function problem(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): HttpProblem {
  return new HttpProblem({ type: 'about:blank', status, detail }, headers)
}

export function notFound(): HttpProblem {
  return problem(404, 'There is nothing here.')
}

/** For a credential that became invalid during the request, or whose account is suspended. */
export function credentialGone(): HttpProblem {
  return problem(403, 'These credentials are not valid any more, or their account is suspended.')
}

export function methodNotAllowed(methods: readonly string[]): HttpProblem {
  return problem(405, `This resource knows ${methods.join(', ')}.`, { Allow: methods.join(', ') })
}

/** RFC 8620 3.6.1: a limit of the session object was exceeded; with HTTP's own status for it. */
export function limitExceeded(given: RequestProblem, status: number, retryAfterSeconds?: number): HttpProblem {
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return new HttpProblem({ ...given, status }, headers)
}

export function sendProblem(response: ServerResponse, { details, headers }: HttpProblem): void {
  const { type, status, detail, limit } = details
  const title = STATUS_CODES[status] ?? 'Error'
  setHeaders(response, headers)
  setLanguage(response)
  send(response, status, 'application/problem+json', JSON.stringify({ type, title, status, detail, limit }))
}

/** RFC 8620 3.8: texts for people are in English, whatever language the client asks for. */
export function setLanguage(response: ServerResponse): void {
  response.setHeader('Content-Language', 'en')
}

export function sendJson(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'application/json; charset=utf-8', text)
}
