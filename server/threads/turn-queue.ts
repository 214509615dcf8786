/**
 * Requests that wait for the next turn of the event loop because those before them have filled this one: sockets come between turns. What
 * is made for a request before it waits grows old meanwhile, and keeps what is made later until the next full collection, so a request
 * should wait before it makes anything large. One that has begun comes before those that have not.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HERE_FULL_MS } from '../base/reading-limits.ts'
import { THREAD_TIME, type ThreadTime } from './thread-time.ts'

export class TurnQueue {
  readonly #time: ThreadTime
  #waiting = 0
  /** Of those, the ones that have begun. */
  #waitingBegun = 0

  /** @param time of the thread, which its requests share */
  constructor(time = THREAD_TIME) {
    this.#time = time
  }

  /** Whether a request that comes now has to wait. */
  isFull(hasBegun = false): boolean {
    return (hasBegun ? this.#waitingBegun : this.#waiting) > 0 || this.#time.inTurn > HERE_FULL_MS
  }

  /** Resolves when it is the request's turn, in the order of the calls: each that still waits does so again before any that came later. */
  async wait(hasBegun = false): Promise<void> {
    this.#waiting++
    if (hasBegun) this.#waitingBegun++
    do await nextTurn()
    while (this.#time.inTurn > HERE_FULL_MS || (!hasBegun && this.#waitingBegun > 0))
    this.#waiting--
    if (hasBegun) this.#waitingBegun--
  }
}
