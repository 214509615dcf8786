import { FairQueue } from './fair-queue.ts'

/** One work at a time, in turns of the owners: however much one of them sends, the next work of another waits for one only. */
export class FairTurns {
  readonly #maxOfOwner: number
  readonly #max: number
  readonly #waiting = new FairQueue<number, () => void>()
  #isBusy = false

  /** @param maxOfOwner works that wait, of one owner @param max of all */
  constructor(maxOfOwner: number, max: number) {
    this.#maxOfOwner = maxOfOwner
    this.#max = max
  }

  /** null: too many are waiting. */
  async within<T>(owner: number, work: () => Promise<T>): Promise<T | null> {
    if (this.#isBusy) {
      if (this.#waiting.countOf(owner) >= this.#maxOfOwner || this.#waiting.size >= this.#max) return null
      await new Promise<void>((resolve) => this.#waiting.push(owner, resolve))
    }
    this.#isBusy = true
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  #passOn(): void {
    const begin = this.#waiting.shift()
    if (begin) begin()
    else this.#isBusy = false
  }
}
