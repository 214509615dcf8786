/** A Request and its Response, as RFC 8620 3 defines them. */
import type { JsonObject } from './json.ts'

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
