/**
 * For If-Match: the states (RFC 8620 5.1) at which a resource was read. Every /set of the same types then demands them (`ifInState`),
 * so that nothing can have changed in between.
 */
import type { JsonObject } from '../../server/base/json.ts'

export class ReadStates {
  readonly #states = new Map<string, string>()
  #isReading = true

  /** From here on calls are guarded. */
  endReading(): void {
    this.#isReading = false
  }

  /** Stores the state in the response of a /get. */
  note(method: string, { accountId, state }: JsonObject): void {
    const [type, verb] = method.split('/')
    const place = `${type} ${accountId}`
    if (this.#isReading && verb === 'get' && typeof state === 'string' && !this.#states.has(place))
      this.#states.set(place, state)
  }

  /** The arguments of a call, with the state that it demands. */
  guard(method: string, args: object): JsonObject {
    const given = args as JsonObject
    const [type, verb] = method.split('/')
    const state = this.#isReading || verb !== 'set' ? undefined : this.#states.get(`${type} ${given['accountId']}`)
    return state === undefined ? given : { ...given, ifInState: state }
  }
}
