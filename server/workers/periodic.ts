/** Takes turns at an interval. A turn that fails is logged; the next one tries again. */
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import type { Logger } from '../base/logger.ts'

export interface PeriodicOptions {
  /** For the log. */
  readonly name: string
  /** Its result is logged if it is an object. */
  readonly turn: () => Promise<unknown>
  /** Milliseconds from the start to the first turn. */
  readonly firstMs: number
  /** Milliseconds from the end of a turn to the next. */
  readonly everyMs: number
  readonly clock: Clock
  readonly logger: Logger
}

export class Periodic {
  readonly #options: PeriodicOptions
  #cancel: () => void = () => {}
  #isStopped = false

  constructor(options: PeriodicOptions) {
    this.#options = options
  }

  start(): void {
    this.#wait(this.#options.firstMs)
  }

  /** Begins no more turns. Does not wait for the turn under way: it is a call of the core, which ends its calls when it closes. */
  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  #wait(ms: number): void {
    this.#cancel = this.#options.clock.after(ms, () => void this.#take())
  }

  async #take(): Promise<void> {
    const { name, turn, everyMs, logger } = this.#options
    try {
      const report = await turn()
      if (typeof report === 'object') logger.info({ ...report }, name)
    } catch (error) {
      logger.error({ error: errorMessage(error) }, `${name} failed`)
    }
    if (!this.#isStopped) this.#wait(everyMs)
  }
}
