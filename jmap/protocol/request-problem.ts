/** RFC 8620 3.6.1: errors of a whole request. All are HTTP 400; the HTTP layer makes its own refusals (401, 415, 429). */

import { quote } from './json-object.ts'

export interface RequestProblem {
  readonly type: string
  readonly status: number
  readonly detail: string
  readonly limit?: string
}

const PREFIX = 'urn:ietf:params:jmap:error:'

/** Names of limits in the core capability object (RFC 8620 2). */
export type RequestLimitName =
  | 'maxSizeUpload'
  | 'maxConcurrentUpload'
  | 'maxSizeRequest'
  | 'maxConcurrentRequests'
  | 'maxCallsInRequest'

export function notJson(detail: string): RequestProblem {
  return { type: `${PREFIX}notJSON`, status: 400, detail }
}

export function notRequest(detail: string): RequestProblem {
  return { type: `${PREFIX}notRequest`, status: 400, detail }
}

export function unknownCapability(capability: string): RequestProblem {
  const detail = `The request uses capability '${quote(capability)}', which this server does not support.`
  return { type: `${PREFIX}unknownCapability`, status: 400, detail }
}

export function limitProblem(limit: RequestLimitName, detail: string): RequestProblem {
  return { type: `${PREFIX}limit`, status: 400, detail, limit }
}
