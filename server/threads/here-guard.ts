/** Guards a request that runs beside the sockets: what turns out to be more than a moment's work is diverted to a reading thread. */
import { Failure } from '../base/errors.ts'
import type { Guard } from '../base/guard.ts'
import { HERE_MAX_BYTES, HERE_MS, HERE_TURN_MS } from '../base/reading-limits.ts'
import { THREAD_TIME, type ThreadTime } from './thread-time.ts'

export class HereGuard implements Guard {
  readonly #client: Guard | undefined
  readonly #time: ThreadTime
  /** Turn of the event loop of the last check. */
  #turn = 0
  /** Milliseconds of the request in this turn, and in all of them. */
  #inTurn = 0
  #inAll = 0
  #octets = 0

  /** @param time of the thread, which its requests share */
  constructor(client: Guard | undefined, time = THREAD_TIME) {
    this.#client = client
    this.#time = time
    time.mark(this)
    this.#turn = time.turn
  }

  check(): void {
    this.#client?.check()
    const spent = this.#time.mark(this)
    if (this.#turn !== this.#time.turn) {
      this.#turn = this.#time.turn
      this.#inTurn = 0
    }
    this.#inTurn += spent
    this.#inAll += spent
    const isLong = this.#inTurn > HERE_TURN_MS && this.#time.cpuInTurn > HERE_TURN_MS
    if (isLong || this.#inAll > HERE_MS) throw diverted()
  }

  weigh(octets: number): void {
    this.#octets += octets
    if (this.#octets > HERE_MAX_BYTES) throw diverted()
    this.check()
  }

  /** What makes large answers takes long. */
  keep(): void {}

  /** The request has its answer: what runs next is not its time. */
  end(): void {
    this.#time.mark(null)
  }
}

function diverted(): Failure {
  return new Failure('diverted', 'too much work for the thread of the sockets')
}
