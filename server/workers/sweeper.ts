/** Calls the core's sweep now and then: what nobody needs any more goes, and a sweep that fails is tried again at the next turn. */
import type { HostedCore } from '../../jmap/create-core.ts'
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import { SWEEP_EVERY_MS, SWEEP_FIRST_MS } from '../base/limits.ts'
import type { Logger } from '../base/logger.ts'

export class Sweeper {
  readonly #core: Pick<HostedCore, 'sweep'>
  readonly #clock: Clock
  readonly #logger: Logger
  #cancel: () => void = () => {}
  #stopped = false

  constructor(core: Pick<HostedCore, 'sweep'>, clock: Clock, logger: Logger) {
    this.#core = core
    this.#clock = clock
    this.#logger = logger
  }

  start(): void {
    this.#cancel = this.#clock.after(SWEEP_FIRST_MS, () => void this.#turn())
  }

  /** A sweep under way is the core's to break off when it is closed. */
  stop(): void {
    this.#stopped = true
    this.#cancel()
  }

  async #turn(): Promise<void> {
    try {
      this.#logger.info({ ...(await this.#core.sweep()) }, 'swept')
    } catch (error) {
      this.#logger.error({ error: errorMessage(error) }, 'a sweep failed')
    }
    if (!this.#stopped) this.#cancel = this.#clock.after(SWEEP_EVERY_MS, () => void this.#turn())
  }
}
