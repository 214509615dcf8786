/**
 * What /healthz, /readyz and the REST status report. /healthz: the process runs and need not be restarted. /readyz: it accepts work,
 * and its store answers. They need no authentication and reveal nothing else.
 */
import type { Clock } from '../base/clock.ts'
import { READINESS_MS } from '../base/limits.ts'
import { READY_REMEMBERED_MS } from '../base/reading-limits.ts'

export interface HealthOptions {
  /** A small read of the store. */
  probe(): Promise<unknown>
  /** Whether new content can be stored; without room the rest of the service continues (promise D4). */
  hasRoom(): boolean
  readonly clock: Clock
}

export class Health {
  readonly #options: HealthOptions
  #fault: string | null = null
  /** When the store began to answer the last time that it did. */
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(options: HealthOptions) {
    this.#options = options
  }

  /** Why the process ends, in a sentence; null: it continues. */
  get fault(): string | null {
    return this.#fault
  }

  /** From now on the process cannot work. */
  failed(fault: string): void {
    this.#fault ??= fault
  }

  get hasRoom(): boolean {
    return this.#options.hasRoom()
  }

  /** Whether the store answers in time. It is not asked again just after an answer: anybody may ask often. Never rejects. */
  async isReady(): Promise<boolean> {
    if (this.#fault !== null) return false
    const { probe, clock } = this.#options
    const now = clock.now()
    if (now - this.#answeredAt < READY_REMEMBERED_MS && now >= this.#answeredAt) return true
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
    const cancel = clock.after(READINESS_MS, () => resolve(false))
    const answered = probe().then(
      () => true,
      () => false,
    )
    const ready = await Promise.race([answered, tooLate])
    cancel()
    if (ready) this.#answeredAt = now
    return ready && this.#fault === null
  }
}
