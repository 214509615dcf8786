/**
 * Requests that wait for the next turn of the event loop because those before them have filled this one: sockets come between turns.
 * Credentials take turns, and a request that has begun comes before those that have not.
 *
 * What is made for a request before it waits grows old meanwhile, and keeps what is made later until the next full collection, so a request
 * should wait before it makes anything large.
 */
import { FairQueue } from '../base/fair-queue.ts'
import { HERE_FULL_MS } from '../base/reading-limits.ts'
import { THREAD_TIME, type ThreadTime } from './thread-time.ts'

type Begin = () => void

export class TurnQueue {
  readonly #time: ThreadTime
  readonly #begun: Begin[] = []
  readonly #waiting = new FairQueue<string, Begin>()

  /** @param time of the thread, which its requests share */
  constructor(time = THREAD_TIME) {
    this.#time = time
  }

  /** Whether a request that comes now has to wait. */
  isFull(hasBegun = false): boolean {
    return this.#begun.length > 0 || (!hasBegun && this.#waiting.size > 0) || this.#time.inTurn > HERE_FULL_MS
  }

  /** Resolves when it is the request's turn. Those of one credential come in the order of the calls. */
  wait(credential: string, hasBegun = false): Promise<void> {
    return new Promise((begin) => {
      if (hasBegun) this.#begun.push(begin)
      else this.#waiting.push(credential, begin)
      setImmediate(this.#passOn)
    })
  }

  /** Is called once in a turn for each that waits: what one does ends before the next call. */
  readonly #passOn = (): void => {
    if (this.#time.inTurn > HERE_FULL_MS) setImmediate(this.#passOn)
    else (this.#begun.shift() ?? this.#waiting.shift())!()
  }
}
