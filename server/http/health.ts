/**
 * What /healthz, /readyz and the REST status report. /healthz: the process runs and need not be restarted. /readyz: it accepts work,
 * and its store answers. They need no authentication and reveal nothing else.
 */
import type { Clock } from '../base/clock.ts'
import { READINESS_MS } from '../base/limits.ts'

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

  /** Whether the store answers in time. Never rejects. */
  async isReady(): Promise<boolean> {
    if (this.#fault !== null) return false
    const { probe, clock } = this.#options
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
    const cancel = clock.after(READINESS_MS, () => resolve(false))
    const answered = probe().then(
      () => true,
      () => false,
    )
    const ready = await Promise.race([answered, tooLate])
    cancel()
    return ready && this.#fault === null
  }
}
