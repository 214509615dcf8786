/**
 * Runs a Request that arrives as an object (REST), as a body of JSON octets (HTTP) or as a WebSocket message. For each way a function
 * decides in which thread of the host it runs. A host with one thread runs all of them there.
 */
import { type Guard, UNGUARDED } from '../server/base/guard.ts'
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../server/base/limits.ts'
import type { Principal } from '../server/base/principal.ts'
import type { RequestServices } from './direct-request.ts'
import { type AnswerBody, writeBody } from './protocol/answer-body.ts'
import { plainResponse, type ResponseTree } from './protocol/json-text.ts'
import type { JmapRequest, JmapResponse } from './protocol/messages.ts'
import { type ParsedRequest, parseRequest } from './protocol/request.ts'
import type { RequestProblem } from './protocol/request-problem.ts'
import { readSocketMessage, requestError, type SocketMessage } from './protocol/socket-message.ts'
import { dispatch } from './type/dispatcher.ts'
import type { IdempotentSteps } from './type/idempotent-steps.ts'
import { mayWrite, weightOf } from './type/request-weight.ts'

/**
 * Where a call runs. `writer`: where the writer is. `reader`: in a reading thread. `both`: in a reading thread, which asks the writer
 * to run the calls that write; it runs to its end although the client goes. `unparsed`: as `writer`, but never beside the sockets; if
 * the writer is there, as `both`. `run`: beside the sockets; its guard may divert it to a reading thread, because it has written nothing.
 * `kind`: requests that read alike have the same.
 */
export type Placement<T> =
  | 'writer'
  | 'reader'
  | 'both'
  | 'unparsed'
  | { readonly run: (guard: Guard) => T; readonly isLittle: boolean; readonly kind: string }

export async function processRequest(
  services: RequestServices,
  principal: Principal,
  request: JmapRequest,
  steps?: IdempotentSteps,
  guard: Guard = UNGUARDED,
): Promise<JmapResponse | RequestProblem> {
  const response = await dispatch(services, services.registry, principal, request, steps, { guard })
  return 'methodResponses' in response ? plainResponse(response) : response
}

export function placeRequest(
  services: RequestServices,
  principal: Principal,
  request: JmapRequest,
  steps?: IdempotentSteps,
): Placement<Promise<JmapResponse | RequestProblem>> {
  // Idempotent steps are recorded in the thread of their request. Only REST uses them, and its writing requests never read much.
  if (steps && mayWrite(services.registry, request)) return 'writer'
  return placed(services, request, (guard) => processRequest(services, principal, request, steps, guard))
}

function placed<T>({ registry }: RequestServices, request: JmapRequest, run: (guard: Guard) => T): Placement<T> {
  const { writes, reads, kind } = weightOf(registry, request)
  // No mail is accepted while the writer reads.
  if (writes) return reads === 'little' ? 'writer' : 'both'
  return reads === 'much' ? 'reader' : { run, isLittle: reads === 'little', kind }
}

export interface TextAnswer {
  readonly status: number
  readonly body: AnswerBody
}

export function processText(
  services: RequestServices,
  principal: Principal,
  body: Uint8Array,
  guard: Guard = UNGUARDED,
): Promise<TextAnswer> {
  return answerText(services, principal, parseRequest(body, services.limits), guard)
}

export function placeText(
  services: RequestServices,
  principal: Principal,
  body: Uint8Array,
): Placement<Promise<TextAnswer>> {
  if (body.length > PARSE_BEFORE_WRITER_MAX_BYTES) return placeUnparsed(services, body)
  const parsed = parseRequest(body, services.limits)
  const run = (guard: Guard) => answerText(services, principal, parsed, guard)
  return 'request' in parsed ? placed(services, parsed.request, run) : { run, isLittle: true, kind: '' }
}

/** Large Requests contain objects to write. Parsing one would block the sockets; the names of its calls are found without it. */
function placeUnparsed({ registry }: RequestServices, body: Uint8Array): 'both' | 'unparsed' {
  const octets = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const endings = new Set<string>()
  for (const { name, writes } of registry.methods.values())
    if (!writes) endings.add(`${name.slice(name.indexOf('/'))}"`)
  // JSON can write every character as an escape: then only the parser sees the name.
  return ['\\u00', '\\/', ...endings].some((text) => octets.includes(text)) ? 'both' : 'unparsed'
}

async function answerText(
  services: RequestServices,
  principal: Principal,
  parsed: ParsedRequest,
  guard: Guard,
): Promise<TextAnswer> {
  if ('problem' in parsed) return { status: parsed.problem.status, body: JSON.stringify(parsed.problem) }
  const response = await dispatch(services, services.registry, principal, parsed.request, undefined, {
    guard,
    asText: true,
  })
  if (!('methodResponses' in response)) return { status: response.status, body: JSON.stringify(response) }
  return { status: 200, body: writeBody(response as ResponseTree) }
}

/** What to do about a message of a WebSocket: RFC 8887 4.3. */
export type SocketAnswer =
  /** A Response or a RequestError, to be sent. */
  | { readonly kind: 'text'; readonly text: AnswerBody }
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
  guard: Guard = UNGUARDED,
): Promise<SocketAnswer> {
  return answerMessage(services, principal, readSocketMessage(message, services.limits), mayRun, guard)
}

export function placeMessage(
  services: RequestServices,
  principal: Principal,
  message: Uint8Array,
  mayRun: boolean,
): Placement<Promise<SocketAnswer>> {
  if (message.length > PARSE_BEFORE_WRITER_MAX_BYTES) return placeUnparsed(services, message)
  const read = readSocketMessage(message, services.limits)
  const run = (guard: Guard) => answerMessage(services, principal, read, mayRun, guard)
  return read.kind === 'request' && mayRun ? placed(services, read.request, run) : { run, isLittle: true, kind: '' }
}

async function answerMessage(
  services: RequestServices,
  principal: Principal,
  read: SocketMessage,
  mayRun: boolean,
  guard: Guard,
): Promise<SocketAnswer> {
  if (read.kind === 'problem') return { kind: 'text', text: requestError(read.problem, read.requestId) }
  if (read.kind !== 'request') return read
  const { request, requestId } = read
  if (!mayRun) return { kind: 'busy', requestId }
  const response = await dispatch(services, services.registry, principal, request, undefined, { guard, asText: true })
  if (!('methodResponses' in response)) return { kind: 'text', text: requestError(response, requestId) }
  // RFC 8887 4.3.3: the response repeats the request's id, if it had one.
  const extra = { '@type': 'Response', ...(requestId !== null && { requestId }) }
  return { kind: 'text', text: writeBody({ ...response, ...extra }) }
}
