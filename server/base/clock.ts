/** The only source of time: epoch milliseconds and timers, so that tests can control the clock. */
export interface Clock {
  now(): number
  /** Calls `fn` once after `ms` milliseconds; the returned function cancels. Never keeps the process alive. */
  after(ms: number, fn: () => void): () => void
}

/** setTimeout fires at once for a delay beyond a signed 32-bit number of milliseconds. */
const MAX_TIMER_MS = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(0, ms), MAX_TIMER_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A clock that moves only by `advance`, which runs due timers in order of time. */
export class ManualClock implements Clock {
  #now: number
  #timers: { at: number; fn: () => void }[] = []

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), fn }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#timers = this.#timers.filter((other) => other !== next)
      this.#now = Math.max(this.#now, next.at)
      next.fn()
    }
    this.#now = end
  }
}
