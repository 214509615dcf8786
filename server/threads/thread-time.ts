/**
 * Divides the time of this thread among its requests. They take turns at each await, which nothing reports. So each of them marks the time
 * when it begins, at each check of its guard, and when it ends: the time since the mark before, of whichever request, is that of the
 * request that marks. Time from one turn of the event loop to the next belongs to none: the thread may have waited.
 */
export class ThreadTime {
  readonly #now: () => number
  #last = 0
  #turn = 0
  #isWatched = false

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Number of the turn of the event loop, among those with a mark. */
  get turn(): number {
    return this.#turn
  }

  /** Milliseconds since the last mark; 0: it is the first one of this turn. */
  mark(): number {
    const now = this.#now()
    const spent = this.#isWatched ? now - this.#last : 0
    this.#last = now
    if (!this.#isWatched) this.#watchTurn()
    return spent
  }

  #watchTurn(): void {
    this.#isWatched = true
    this.#turn++
    setImmediate(() => {
      this.#isWatched = false
    })
  }
}
