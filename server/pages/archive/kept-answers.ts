/** Answers of the core that are shown again for a while. Visitors who ask at once share one call. */
import type { Clock } from '../../base/clock.ts'
import { ARCHIVE_KEEP_MS, ARCHIVE_KEPT_MAX_BYTES, ARCHIVE_PAGES_KEPT } from '../../base/newsletter-limits.ts'

interface Kept<T> {
  readonly answer: Promise<T | null>
  readonly until: number
  octets: number
}

export class KeptAnswers<T extends object> {
  readonly #clock: Clock
  readonly #sizeOf: (answer: T) => number
  /** Oldest first. */
  readonly #kept = new Map<string, Kept<T>>()
  #octets = 0

  /** @param sizeOf octets of an answer in memory, if they are worth counting */
  constructor(clock: Clock, sizeOf: (answer: T) => number = () => 0) {
    this.#clock = clock
    this.#sizeOf = sizeOf
  }

  /** @throws what `ask` throws */
  get(name: string, ask: () => Promise<T | null>): Promise<T | null> {
    const now = this.#clock.now()
    const kept = this.#kept.get(name)
    if (kept && kept.until > now) return kept.answer
    const entry = { answer: ask(), until: now + ARCHIVE_KEEP_MS, octets: 0 }
    this.#forget(name)
    this.#kept.set(name, entry)
    this.#forgetOldest()
    const settled = (found: T | null) => {
      if (this.#kept.get(name) !== entry) return
      // What is not there may come at any time, and a failure may pass.
      if (found === null) return this.#forget(name)
      entry.octets = this.#sizeOf(found)
      this.#octets += entry.octets
      this.#forgetOldest()
    }
    void entry.answer.then(settled, () => settled(null))
    return entry.answer
  }

  #forget(name: string): void {
    this.#octets -= this.#kept.get(name)?.octets ?? 0
    this.#kept.delete(name)
  }

  #forgetOldest(): void {
    for (const name of this.#kept.keys()) {
      if (this.#kept.size <= ARCHIVE_PAGES_KEPT && this.#octets <= ARCHIVE_KEPT_MAX_BYTES) return
      this.#forget(name)
    }
  }
}
