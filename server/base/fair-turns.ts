/** One work at a time, in turns of the owners: however much one of them sends, the next work of another waits for one only. */
export class FairTurns {
  readonly #maxOfOwner: number
  readonly #max: number
  /** In the order of their turns. */
  readonly #waiting = new Map<number, (() => void)[]>()
  #count = 0
  #isBusy = false

  /** @param maxOfOwner works that wait, of one owner @param max of all */
  constructor(maxOfOwner: number, max: number) {
    this.#maxOfOwner = maxOfOwner
    this.#max = max
  }

  /** null: too many are waiting. */
  async within<T>(owner: number, work: () => Promise<T>): Promise<T | null> {
    if (this.#isBusy) {
      const own = this.#waiting.get(owner) ?? []
      if (own.length >= this.#maxOfOwner || this.#count >= this.#max) return null
      this.#count++
      this.#waiting.set(owner, own)
      await new Promise<void>((resolve) => own.push(resolve))
    }
    this.#isBusy = true
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  #passOn(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#isBusy = false
      return
    }
    const [owner, own] = next
    const begin = own.shift()!
    // The owner's next turn comes after those of the others.
    this.#waiting.delete(owner)
    if (own.length > 0) this.#waiting.set(owner, own)
    this.#count--
    begin()
  }
}
