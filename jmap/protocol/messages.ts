/** Requests, responses and request-level errors: RFC 8620 3. */
import type { JsonObject } from '../../server/base/json.ts'

/** RFC 8620 3.2: method name, arguments, call id. */
export type Invocation = [name: string, args: JsonObject, callId: string]

/** RFC 8620 3.3 */
export interface JmapRequest {
  readonly using: readonly string[]
  readonly methodCalls: readonly Invocation[]
  readonly createdIds?: { readonly [creationId: string]: string }
}

/** RFC 8620 3.4 */
export interface JmapResponse {
  readonly methodResponses: readonly Invocation[]
  readonly createdIds?: { readonly [creationId: string]: string }
  readonly sessionState: string
}

/** RFC 8620 3.6.1: an error of the whole request, as RFC 7807 problem details. */
export interface RequestProblem {
  readonly type: string
  readonly status: number
  readonly detail: string
  readonly limit?: string
}
