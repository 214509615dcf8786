/**
 * Takes turns on a wall-clock schedule: checks each minute whether the schedule was due since the last turn. So a turn that was missed,
 * because the server was stopped or the machine slept, is made up for. A failed turn is repeated at its next time.
 */
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import { SCHEDULE_CHECK_MS, SWEEP_FIRST_MS } from '../base/limits.ts'
import type { Logger } from '../base/logger.ts'
import type { CronSchedule } from '../config/cron-schedule.ts'

export interface ScheduledTurns {
  /** Epoch ms of the last complete turn, also of an earlier run of the server; null: there was none. */
  lastAt(): Promise<number | null>
  /** Its result is logged. */
  take(): Promise<object>
}

export interface ScheduledOptions {
  /** For the log. */
  readonly name: string
  readonly schedule: Pick<CronSchedule, 'isDue'>
  readonly turns: ScheduledTurns
  readonly clock: Clock
  readonly logger: Logger
}

export class Scheduled {
  readonly #options: ScheduledOptions
  /** Epoch ms up to which the schedule has been followed; null: not known yet. */
  #followedTo: number | null = null
  #cancel: () => void = () => {}
  #isStopped = false

  constructor(options: ScheduledOptions) {
    this.#options = options
  }

  start(): void {
    this.#wait(SWEEP_FIRST_MS)
  }

  /** Begins no more turns. Does not wait for the turn under way: it is a call of the core, which ends its calls when it closes. */
  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  #wait(ms: number): void {
    this.#cancel = this.#options.clock.after(ms, () => void this.#check())
  }

  async #check(): Promise<void> {
    const { name, turns, clock, logger } = this.#options
    try {
      if (await this.#isDue()) {
        this.#followedTo = clock.now()
        logger.info(await turns.take(), name)
      }
    } catch (error) {
      logger.error({ error: errorMessage(error) }, `${name} failed`)
    }
    if (!this.#isStopped) this.#wait(SCHEDULE_CHECK_MS)
  }

  /** Before the first turn, one is due at once. */
  async #isDue(): Promise<boolean> {
    const { schedule, turns, clock } = this.#options
    const since = this.#followedTo ?? (await turns.lastAt())
    const now = clock.now()
    if (since === null || schedule.isDue(since, now)) return true
    // Also when the clock was set back: `since` must not lie in the future.
    this.#followedTo = now
    return false
  }
}
