/** Guards a request that runs beside the sockets: what turns out to be more than a moment's work is diverted to a reading thread. */
import { Failure } from '../base/errors.ts'
import type { Guard } from '../base/guard.ts'
import { HERE_MAX_BYTES, HERE_MS, HERE_TURN_MS } from '../base/reading-limits.ts'

export class HereGuard implements Guard {
  readonly #client: Guard | undefined
  readonly #begun = performance.now()
  /** When this turn of the event loop began work on the request. */
  #turn = this.#begun
  #isNewTurn = false
  #octets = 0

  constructor(client: Guard | undefined) {
    this.#client = client
    this.#watchTurn()
  }

  check(): void {
    this.#client?.check()
    const now = performance.now()
    if (this.#isNewTurn) {
      this.#isNewTurn = false
      this.#turn = now
      this.#watchTurn()
    }
    if (now - this.#turn > HERE_TURN_MS || now - this.#begun > HERE_MS) throw diverted()
  }

  weigh(octets: number): void {
    this.#octets += octets
    if (this.#octets > HERE_MAX_BYTES) throw diverted()
    this.check()
  }

  #watchTurn(): void {
    setImmediate(() => {
      this.#isNewTurn = true
    })
  }
}

function diverted(): Failure {
  return new Failure('diverted', 'too much work for the thread of the sockets')
}
