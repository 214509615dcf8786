/** Responses of the standard methods. */
import type { SetError } from '../protocol/set-error.ts'

/** RFC 8620 5.1 */
export interface GetResponse<T> {
  readonly accountId: string
  readonly state: string
  readonly list: readonly T[]
  readonly notFound: readonly string[]
}

/** RFC 8620 5.3. `T` is what the response may hold of an object, `C` of a created object. */
export interface SetResponse<T, C = Partial<T>> {
  readonly accountId: string
  readonly oldState: string
  readonly newState: string
  readonly created: { readonly [creationId: string]: C & { readonly id: string } } | null
  readonly updated: { readonly [id: string]: Partial<T> | null } | null
  readonly destroyed: readonly string[] | null
  readonly notCreated: { readonly [creationId: string]: SetError } | null
  readonly notUpdated: { readonly [id: string]: SetError } | null
  readonly notDestroyed: { readonly [id: string]: SetError } | null
}

/** RFC 8620 5.5 */
export interface QueryResponse {
  readonly accountId: string
  readonly queryState: string
  readonly canCalculateChanges: boolean
  readonly position: number
  readonly ids: readonly string[]
  readonly total?: number
  readonly limit?: number
}
