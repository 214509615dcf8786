/** Requests that wait for the next turn of the event loop because those before them have filled this one: sockets come between turns. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HERE_FULL_MS } from '../base/reading-limits.ts'
import { THREAD_TIME, type ThreadTime } from './thread-time.ts'

export class TurnQueue {
  readonly #time: ThreadTime
  #waiting = 0

  /** @param time of the thread, which its requests share */
  constructor(time = THREAD_TIME) {
    this.#time = time
  }

  /** Whether a request that comes now has to wait. */
  get isFull(): boolean {
    return this.#waiting > 0 || this.#time.inTurn > HERE_FULL_MS
  }

  /** Resolves when it is the request's turn, in the order of the calls: each that still waits does so again before any that came later. */
  async wait(): Promise<void> {
    this.#waiting++
    do await nextTurn()
    while (this.#time.inTurn > HERE_FULL_MS)
    this.#waiting--
  }
}
