/**
 * Runs a Request that arrives as an object (REST), as a body of JSON octets (HTTP) or as a WebSocket message. Each way has a function that
 * runs the Request only if it just reads: a host with a writer thread runs such Requests beside the sockets.
 */
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../server/base/limits.ts'
import type { Principal } from '../server/base/principal.ts'
import type { RequestServices } from './direct-request.ts'
import { dispatch, mayWrite } from './dispatcher.ts'
import type { IdempotentSteps } from './idempotent-steps.ts'
import { plainResponse, type ResponseTree, writeJson } from './protocol/json-text.ts'
import type { JmapRequest, JmapResponse } from './protocol/messages.ts'
import { type ParsedRequest, parseRequest } from './protocol/request.ts'
import type { RequestProblem } from './protocol/request-problem.ts'
import { readSocketMessage, requestError, type SocketMessage } from './protocol/socket-message.ts'

export async function processRequest(
  services: RequestServices,
  principal: Principal,
  request: JmapRequest,
  steps?: IdempotentSteps,
): Promise<JmapResponse | RequestProblem> {
  const response = await dispatch(services, services.registry, principal, request, steps)
  return 'methodResponses' in response ? plainResponse(response) : response
}

/** null: the Request may write. */
export function processIfReading(
  services: RequestServices,
  principal: Principal,
  request: JmapRequest,
  steps?: IdempotentSteps,
): Promise<JmapResponse | RequestProblem> | null {
  return mayWrite(services.registry, request) ? null : processRequest(services, principal, request, steps)
}

interface TextAnswer {
  readonly status: number
  readonly body: string
}

export function processText(services: RequestServices, principal: Principal, body: Uint8Array): Promise<TextAnswer> {
  return answerText(services, principal, parseRequest(body, services.limits))
}

/** null: the Request may write. Large Requests carry objects to write; parsing one just to learn that would hold up the sockets. */
export function processTextIfReading(
  services: RequestServices,
  principal: Principal,
  body: Uint8Array,
): Promise<TextAnswer> | null {
  if (body.length > PARSE_BEFORE_WRITER_MAX_BYTES) return null
  const parsed = parseRequest(body, services.limits)
  if ('request' in parsed && mayWrite(services.registry, parsed.request)) return null
  return answerText(services, principal, parsed)
}

async function answerText(services: RequestServices, principal: Principal, parsed: ParsedRequest): Promise<TextAnswer> {
  if ('problem' in parsed) return { status: parsed.problem.status, body: JSON.stringify(parsed.problem) }
  const response = await dispatch(services, services.registry, principal, parsed.request)
  if (!('methodResponses' in response)) return { status: response.status, body: JSON.stringify(response) }
  return { status: 200, body: writeJson(response as ResponseTree) }
}

/** What to do about a message of a WebSocket: RFC 8887 4.3. */
export type SocketAnswer =
  /** A Response or a RequestError, to be sent. */
  | { readonly kind: 'text'; readonly text: string }
  /** A Request that was not run. */
  | { readonly kind: 'busy'; readonly requestId: string | null }
  | { readonly kind: 'pushEnable'; readonly types: readonly string[] | null; readonly since: string | null }
  | { readonly kind: 'pushDisable' }

/** @param mayRun false: the client has reached its limit of concurrent Requests */
export function processMessage(
  services: RequestServices,
  principal: Principal,
  message: Uint8Array,
  mayRun: boolean,
): Promise<SocketAnswer> {
  return answerMessage(services, principal, readSocketMessage(message, services.limits), mayRun)
}

/** null: the message is large or has a Request that may write. */
export function processMessageIfReading(
  services: RequestServices,
  principal: Principal,
  message: Uint8Array,
  mayRun: boolean,
): Promise<SocketAnswer> | null {
  if (message.length > PARSE_BEFORE_WRITER_MAX_BYTES) return null
  const read = readSocketMessage(message, services.limits)
  if (read.kind === 'request' && mayWrite(services.registry, read.request)) return null
  return answerMessage(services, principal, read, mayRun)
}

async function answerMessage(
  services: RequestServices,
  principal: Principal,
  read: SocketMessage,
  mayRun: boolean,
): Promise<SocketAnswer> {
  if (read.kind === 'problem') return { kind: 'text', text: requestError(read.problem, read.requestId) }
  if (read.kind !== 'request') return read
  const { request, requestId } = read
  if (!mayRun) return { kind: 'busy', requestId }
  const response = await dispatch(services, services.registry, principal, request)
  if (!('methodResponses' in response)) return { kind: 'text', text: requestError(response, requestId) }
  // RFC 8887 4.3.3: the response repeats the request's id, if it had one.
  const extra = { '@type': 'Response', ...(requestId !== null && { requestId }) }
  return { kind: 'text', text: writeJson({ ...response, ...extra }) }
}
