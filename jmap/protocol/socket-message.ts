/** RFC 8887 4.3: parses a WebSocket message of a client, from octets to a Request or a push switch. Never throws. */
import type { Json } from '../../server/base/json.ts'
import { parseIJson } from './i-json.ts'
import { isObject } from './json-object.ts'
import type { JmapRequest, RequestProblem } from './messages.ts'
import { type RequestLimits, toRequest } from './request.ts'
import { limitProblem, notJson, notRequest } from './request-problem.ts'

export type SocketMessage =
  | { readonly kind: 'request'; readonly request: JmapRequest; readonly requestId: string | null }
  | { readonly kind: 'problem'; readonly problem: RequestProblem; readonly requestId: string | null }
  /** RFC 8887 4.3.5.2. `types` null: all; `since` null: no earlier changes are wanted. */
  | { readonly kind: 'pushEnable'; readonly types: readonly string[] | null; readonly since: string | null }
  | { readonly kind: 'pushDisable' }

export function readSocketMessage(bytes: Uint8Array, limits: RequestLimits): SocketMessage {
  if (bytes.length > limits.maxSizeRequest)
    return refuse(limitProblem('maxSizeRequest', `A request has at most ${limits.maxSizeRequest} octets.`), null)
  const json = parseIJson(bytes)
  if ('fault' in json) return refuse(notJson(json.fault), null)
  const { value } = json
  if (!isObject(value)) return refuse(notRequest('A message is an object.'), null)
  const requestId = typeof value['id'] === 'string' ? value['id'] : null
  switch (value['@type']) {
    case 'Request':
      return readRequest(value, requestId, limits)
    case 'WebSocketPushEnable':
      return readPushEnable(value)
    case 'WebSocketPushDisable':
      return { kind: 'pushDisable' }
    default:
      return refuse(notRequest('`@type` must be Request, WebSocketPushEnable or WebSocketPushDisable.'), requestId)
  }
}

/** RFC 8887 4.3.4: as text to send. */
export function requestError(problem: RequestProblem, requestId: string | null): string {
  return JSON.stringify({ '@type': 'RequestError', requestId, ...problem })
}

function refuse(problem: RequestProblem, requestId: string | null): SocketMessage {
  return { kind: 'problem', problem, requestId }
}

/** RFC 8887 4.3.2 */
function readRequest(
  value: { readonly [key: string]: Json },
  requestId: string | null,
  limits: RequestLimits,
): SocketMessage {
  if (value['id'] !== undefined && requestId === null) return refuse(notRequest('`id` must be a string.'), null)
  const parsed = toRequest(value, limits)
  return 'problem' in parsed
    ? refuse(parsed.problem, requestId)
    : { kind: 'request', request: parsed.request, requestId }
}

function readPushEnable({ dataTypes = null, pushState = null }: { readonly [key: string]: Json }): SocketMessage {
  if (dataTypes !== null && !(Array.isArray(dataTypes) && dataTypes.every((type) => typeof type === 'string')))
    return refuse(notRequest('`dataTypes` must be an array of strings or null.'), null)
  if (pushState !== null && typeof pushState !== 'string')
    return refuse(notRequest('`pushState` must be a string.'), null)
  return { kind: 'pushEnable', types: dataTypes as readonly string[] | null, since: pushState }
}
