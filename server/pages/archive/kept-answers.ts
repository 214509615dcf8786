/** Answers of the core that are shown again for a while. Visitors who ask at once share one call. */
import type { Clock } from '../../base/clock.ts'
import { forgetOldest } from '../../base/forget-oldest.ts'
import { ARCHIVE_KEEP_MS, ARCHIVE_PAGES_KEPT } from '../../base/newsletter-limits.ts'

export class KeptAnswers<T extends object> {
  readonly #clock: Clock
  readonly #kept = new Map<string, { readonly answer: Promise<T | null>; readonly until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @throws what `ask` throws */
  get(name: string, ask: () => Promise<T | null>): Promise<T | null> {
    const now = this.#clock.now()
    const kept = this.#kept.get(name)
    if (kept && kept.until > now) return kept.answer
    const entry = { answer: ask(), until: now + ARCHIVE_KEEP_MS }
    this.#kept.delete(name)
    this.#kept.set(name, entry)
    forgetOldest(this.#kept, ARCHIVE_PAGES_KEPT)
    const forget = () => {
      if (this.#kept.get(name) === entry) this.#kept.delete(name)
    }
    // What is not there may come at any time, and a failure may pass.
    void entry.answer.then((found) => found === null && forget(), forget)
    return entry.answer
  }
}
