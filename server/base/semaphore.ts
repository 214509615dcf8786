/** Lets a number of works run at once; others wait for their turn, up to a maximum. */
export class Semaphore {
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnce: number, maxWaiting: number) {
    this.#free = atOnce
    this.#maxWaiting = maxWaiting
  }

  /** Runs `work` in its turn. @throws the error of `full` if too many wait */
  async within<T>(full: () => Error, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else if (this.#waiting.length >= this.#maxWaiting) throw full()
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // A turn passes to the next one that waits.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
