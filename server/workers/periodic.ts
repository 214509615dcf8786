/** Something that the core does now and then. A turn that fails is made good by the next. */
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import type { Logger } from '../base/logger.ts'

export interface PeriodicOptions {
  /** For the log. */
  readonly name: string
  /** What it answers is logged, if it is an object. */
  readonly turn: () => Promise<unknown>
  /** Milliseconds from the start to the first turn; as between two, when it is not given. */
  readonly firstMs?: number
  /** Milliseconds from the end of a turn to the next. */
  readonly everyMs: number
  readonly clock: Clock
  readonly logger: Logger
}

export class Periodic {
  readonly #options: PeriodicOptions
  #cancel: () => void = () => {}
  #stopped = false
  #turn: Promise<void> | null = null

  constructor(options: PeriodicOptions) {
    this.#options = options
  }

  start(): void {
    this.#wait(this.#options.firstMs ?? this.#options.everyMs)
  }

  /** Resolves when the turn under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#turn
  }

  #wait(ms: number): void {
    this.#cancel = this.#options.clock.after(ms, () => {
      this.#turn = this.#take()
    })
  }

  async #take(): Promise<void> {
    const { name, turn, everyMs, logger } = this.#options
    try {
      const said = await turn()
      if (typeof said === 'object') logger.info({ ...said }, name)
    } catch (error) {
      logger.error({ error: errorMessage(error) }, `${name}: it failed`)
    }
    if (!this.#stopped) this.#wait(everyMs)
  }
}
