/** From octets to a Request (RFC 8620 3.3), or to its problem. The dispatcher checks capabilities and methods. */
import type { Json } from '../../server/base/json.ts'
import { parseIJson } from './i-json.ts'
import { isObject } from './json-object.ts'
import type { JmapRequest, RequestProblem } from './messages.ts'
import { isId } from './primitives.ts'
import { limitProblem, notJson, notRequest } from './request-problem.ts'

/** RFC 8620 2: as advertised in the core capability. */
export interface RequestLimits {
  /** Octets. */
  readonly maxSizeRequest: number
  readonly maxCallsInRequest: number
}

export type ParsedRequest = { readonly request: JmapRequest } | { readonly problem: RequestProblem }

/** Parses the body of a request. Never throws; linear in the octets. */
export function parseRequest(body: Uint8Array, limits: RequestLimits): ParsedRequest {
  if (body.length > limits.maxSizeRequest) {
    return { problem: limitProblem('maxSizeRequest', `A request has at most ${limits.maxSizeRequest} octets.`) }
  }
  const json = parseIJson(body)
  if ('fault' in json) return { problem: notJson(json.fault) }
  return toRequest(json.value, limits)
}

/** Checks a value against the type signature of Request. RFC 8620 3.3: unknown properties are ignored. */
export function toRequest(value: Json, limits: RequestLimits): ParsedRequest {
  if (!isObject(value)) return refuse('A Request is an object.')
  const { using, methodCalls, createdIds } = value
  if (!Array.isArray(using) || !using.every((capability) => typeof capability === 'string')) {
    return refuse('`using` must be an array of strings.')
  }
  if (!Array.isArray(methodCalls)) return refuse('`methodCalls` must be an array.')
  if (methodCalls.length > limits.maxCallsInRequest) {
    const detail = `A request has at most ${limits.maxCallsInRequest} method calls.`
    return { problem: limitProblem('maxCallsInRequest', detail) }
  }
  const wrong = methodCalls.findIndex((call) => !isInvocation(call))
  if (wrong >= 0) return refuse(`\`methodCalls[${wrong}]\` must be [name, arguments object, call id].`)
  if (createdIds === undefined) return { request: { using, methodCalls } }
  if (!isIdMap(createdIds)) return refuse('`createdIds` must be an object of creation ids to ids.')
  return { request: { using, methodCalls, createdIds } }
}

function refuse(detail: string): ParsedRequest {
  return { problem: notRequest(detail) }
}

/** RFC 8620 3.2 */
function isInvocation(value: Json): boolean {
  if (!Array.isArray(value) || value.length !== 3) return false
  return typeof value[0] === 'string' && isObject(value[1]) && typeof value[2] === 'string'
}

function isIdMap(value: Json): value is { readonly [creationId: string]: string } {
  // Object.values takes several times as long for a large object.
  return isObject(value) && Object.keys(value).every((key) => isId(key) && isId(value[key]))
}
