/** Kinds of requests that turned out to be more than a moment's work, by credential: for a while they start in a reading thread. */
import type { Clock } from '../base/clock.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import { DIVERTED_KINDS, DIVERTED_MAX, DIVERTED_MS } from '../base/reading-limits.ts'

export class DivertedRequests {
  readonly #clock: Clock
  /** By credential and kind: when a request was diverted last. */
  readonly #credentials = new Map<string, Map<string, number>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A credential whose requests of several kinds were diverted may be looking for kinds: then all of its kinds count. */
  includes(credential: string, kind: string): boolean {
    const kinds = this.#credentials.get(credential)
    if (!kinds) return false
    const now = this.#clock.now()
    for (const [name, at] of kinds) if (now - at >= DIVERTED_MS) kinds.delete(name)
    return kinds.has(kind) || kinds.size >= DIVERTED_KINDS
  }

  add(credential: string, kind: string): void {
    const kinds = this.#credentials.get(credential) ?? new Map<string, number>()
    kinds.delete(kind)
    kinds.set(kind, this.#clock.now())
    forgetOldest(kinds, DIVERTED_KINDS)
    this.#credentials.delete(credential)
    this.#credentials.set(credential, kinds)
    forgetOldest(this.#credentials, DIVERTED_MAX)
  }
}
