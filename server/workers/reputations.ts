/** Has the core look at reputations every few minutes; a look that fails is made good by the next. */
import type { HostedCore } from '../../jmap/create-core.ts'
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import type { Logger } from '../base/logger.ts'
import { REPUTATION_EVERY_MS } from '../base/sending-limits.ts'

export class ReputationWorker {
  readonly #core: Pick<HostedCore, 'evaluateReputations'>
  readonly #clock: Clock
  readonly #logger: Logger
  #cancel: () => void = () => {}
  #stopped = false
  #turn: Promise<void> | null = null

  constructor(core: Pick<HostedCore, 'evaluateReputations'>, clock: Clock, logger: Logger) {
    this.#core = core
    this.#clock = clock
    this.#logger = logger
  }

  start(): void {
    this.#cancel = this.#clock.after(REPUTATION_EVERY_MS, () => {
      this.#turn = this.#look()
    })
  }

  /** Waits for a look that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#turn
  }

  async #look(): Promise<void> {
    try {
      await this.#core.evaluateReputations()
    } catch (error) {
      this.#logger.error({ error: errorMessage(error) }, 'reputations could not be looked at')
    }
    if (!this.#stopped) this.start()
  }
}
