/**
 * The time of this thread, and of its requests. They take turns at each await, which nothing reports. So each of them marks the time when
 * it begins, at each check of its guard, and when it ends. What lies between two marks of one request is its own time; what lies between
 * marks of two requests may be of either, or of what marks nothing, and counts for none.
 */
export class ThreadTime {
  readonly #now: () => number
  readonly #cpu: () => number
  #last = 0
  #owner: object | null = null
  #begun = 0
  #cpuBegun = 0
  #turn = 0
  #isWatched = false

  /**
   * @param now milliseconds
   * @param cpu milliseconds of CPU that the thread has used
   */
  constructor(now = () => performance.now(), cpu = threadCpu) {
    this.#now = now
    this.#cpu = cpu
  }

  /** Number of the turn of the event loop, among those with a mark. */
  get turn(): number {
    return this.#turn
  }

  /** Milliseconds from the first mark of this turn of the event loop until now; 0: it has none. */
  get inTurn(): number {
    return this.#isWatched ? this.#now() - this.#begun : 0
  }

  /** Milliseconds of CPU since the first mark of this turn. On a busy machine other processes take the rest. */
  get cpuInTurn(): number {
    return this.#isWatched ? this.#cpu() - this.#cpuBegun : 0
  }

  /** Milliseconds since the last mark, if it was in this turn and of the same request. */
  mark(owner: object | null): number {
    const now = this.#now()
    const spent = this.#isWatched && owner === this.#owner ? now - this.#last : 0
    this.#last = now
    this.#owner = owner
    if (!this.#isWatched) this.#watchTurn(now)
    return spent
  }

  #watchTurn(now: number): void {
    this.#isWatched = true
    this.#begun = now
    this.#cpuBegun = this.#cpu()
    this.#turn++
    setImmediate(() => {
      this.#isWatched = false
    })
  }
}

/** Before version 23.9 Node does not tell the CPU of a thread: then all time counts as CPU. */
function threadCpu(): number {
  if (process.threadCpuUsage === undefined) return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Of this thread. */
export const THREAD_TIME = new ThreadTime()
