/**
 * One run of a request that carries an Idempotency-Key. Its calls are made in rounds, always in the same order for the same input and
 * the same answers. When an earlier run was cut off, the rounds up to the last one that did something are answered as they were then, and that
 * one is made again under its number, so that the core tells what it has done instead of doing it twice (jmap/idempotent-steps.ts).
 */
import type { Json } from '../jmap/core.ts'
import type { IdempotencySlot, NewRun } from '../jmap/idempotency.ts'
import type { IdempotentSteps } from '../jmap/idempotent-steps.ts'

export class KeyedRun {
  /** Epoch ms at which the request was first begun: what is judged by the time is judged by this one. */
  readonly begunAt: number
  readonly #slot: IdempotencySlot
  readonly #lastRound: number
  /** Answers by round. */
  readonly #past: Json[]
  #round = 0

  constructor(slot: IdempotencySlot, begun: Pick<NewRun, 'begunAt' | 'lastRound' | 'past'>) {
    this.#slot = slot
    this.begunAt = begun.begunAt
    this.#lastRound = begun.lastRound ?? -1
    this.#past = [...begun.past]
  }

  /** Whether it has come to where earlier runs stopped, so that how it ends is not due to a world that has changed meanwhile. */
  get isAnew(): boolean {
    return this.#round > this.#lastRound
  }

  /** @param make the round of calls. Rounds that are made at once begin in the order of the calls of this. */
  async round<T>(make: (steps: IdempotentSteps) => Promise<T>): Promise<T> {
    const round = this.#round++
    const known = this.#past[round]
    if (known !== undefined && known !== null) return known as T
    const { organization, name } = this.#slot
    // One that has no answer yet is made again.
    const past = Array.from({ length: round }, (_, i) => this.#past[i] ?? null)
    const answers = await make({ organization, name, round, past })
    this.#past[round] = answers as Json
    return answers
  }
}
