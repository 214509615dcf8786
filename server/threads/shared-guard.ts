/** Guards a request in a reading thread. The thread of the sockets cancels it through shared memory: a thread in a statement of SQLite hears no message. */
import { Failure } from '../base/errors.ts'
import { abandoned, type Guard } from '../base/guard.ts'

export class SharedGuard implements Guard {
  readonly #flags: Int32Array
  readonly #place: number
  readonly #deadline: number
  /** Of the answer that may still be kept. */
  #octets: number

  /**
   * @param ms until the deadline
   * @param octets of the answer; Failure `bulky` when it has more
   */
  constructor(flags: Int32Array, place: number, ms: number, octets = Number.POSITIVE_INFINITY) {
    this.#flags = flags
    this.#place = place
    this.#deadline = performance.now() + ms
    this.#octets = octets
  }

  check(): void {
    if (Atomics.load(this.#flags, this.#place) !== 0) throw abandoned()
    if (performance.now() > this.#deadline) throw new Failure('overdue', 'the request took too long')
  }

  weigh(): void {
    this.check()
  }

  keep(octets: number): void {
    this.#octets -= octets
    if (this.#octets < 0) throw new Failure('bulky', 'the answer is large')
  }
}
