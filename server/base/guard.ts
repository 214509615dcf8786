/** Ends work without a waiting client, that takes too long, or that is too much for its thread. Long work checks it regularly. */
import { Failure } from './errors.ts'

export interface Guard {
  /** @throws Failure `abandoned`, `overdue` or `diverted` when the work has to end */
  check(): void
  /** Before work on that many octets at once, such as decoding a message. @throws as `check` */
  weigh(octets: number): void
  /** So many octets more are kept for the answer. @throws Failure `bulky` when the work has to be begun anew, alone */
  keep(octets: number): void
}

/** For work that no client waits for. */
export const UNGUARDED: Guard = { check() {}, weigh() {}, keep() {} }

interface ClientRequest {
  /** An answer that is too large to be passed between threads as objects is Failure `diverted`: the caller restarts the whole request there. */
  readonly restartsLarge: boolean
  /** It has had its turn on this thread: what it still needs there comes before requests that have not begun. */
  readonly hasBegun: boolean
}

/** A client that waits for an answer. When its connection has closed, work for it ends. */
export class WaitingClient implements Guard, ClientRequest {
  readonly restartsLarge: boolean
  readonly hasBegun: boolean
  readonly #listeners = new Set<() => void>()
  #hasLeft = false

  constructor({ restartsLarge = false, hasBegun = false }: Partial<ClientRequest> = {}) {
    this.restartsLarge = restartsLarge
    this.hasBegun = hasBegun
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  /** Calls `listener` once when the client leaves, or now if it has. Returns a function that removes it. */
  onLeave(listener: () => void): () => void {
    if (this.#hasLeft) listener()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  check(): void {
    if (this.#hasLeft) throw abandoned()
  }

  weigh(): void {
    this.check()
  }

  keep(): void {}
}

export function abandoned(): Failure {
  return new Failure('abandoned', 'the client has closed its connection')
}
