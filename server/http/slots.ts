/** Limits concurrent work per credential: maxConcurrentRequests and maxConcurrentUpload of RFC 8620 2. */
export class Slots {
  readonly #limit: number
  readonly #taken = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Runs `work` in one of the holder's slots. @throws the error of `full` if all are taken */
  async within<T>(holder: string, full: () => Error, work: () => Promise<T>): Promise<T> {
    const release = this.take(holder)
    if (!release) throw full()
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Returns a function that releases the slot; null: all are taken. */
  take(holder: string): (() => void) | null {
    const taken = this.#taken.get(holder) ?? 0
    if (taken >= this.#limit) return null
    this.#taken.set(holder, taken + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      const left = this.#taken.get(holder)! - 1
      if (left > 0) this.#taken.set(holder, left)
      else this.#taken.delete(holder)
    }
  }
}
