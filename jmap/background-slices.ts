/** Work that follows behind the users' backs: one slice after the other while there is any, giving way to whatever else waits. */
import type { Clock } from '../server/base/clock.ts'
import { errorMessage } from '../server/base/errors.ts'
import type { Logger } from '../server/base/logger.ts'

/** For work of which much at once costs less: how long it may gather. */
export interface Gathering {
  readonly clock: Clock
  /** Milliseconds after which whatever waits is done. */
  readonly ms: number
  /** As much as this is worth a slice of its own. */
  readonly enough: number
  /** How much waits, as far as that is known. */
  waiting(): number
}

export class BackgroundSlices {
  readonly #logger: Logger
  readonly #failed: string
  readonly #slice: () => Promise<number>
  readonly #gathering: Gathering | null
  #running: Promise<void> | null = null
  #cancelTimer: (() => void) | null = null
  #again = false
  #stopped = false

  /**
   * @param failed what the log says when a slice fails; the next `wake` tries again
   * @param slice returns how much it did; 0 when nothing waits
   */
  constructor(logger: Logger, failed: string, slice: () => Promise<number>, gathering: Gathering | null = null) {
    this.#logger = logger
    this.#failed = failed
    this.#slice = slice
    this.#gathering = gathering
  }

  /** Something may be waiting. */
  wake(): void {
    this.#again = true
    if (this.#running || this.#stopped) return
    if (this.#mayGather()) this.#cancelTimer ??= this.#gathering!.clock.after(this.#gathering!.ms, () => this.#start())
    else this.#start()
  }

  /** Resolves when all that waits is done. */
  async settle(): Promise<void> {
    this.#again = true
    this.#start()
    await this.#running
  }

  /** Resolves when the slice under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer?.()
    await this.#running
  }

  #mayGather(): boolean {
    return this.#gathering !== null && this.#gathering.waiting() < this.#gathering.enough
  }

  #start(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        await new Promise((resolve) => setImmediate(resolve))
        if (this.#stopped) return
        const done = await this.#slice()
        // A slice that was not full has taken all that was there when it began.
        if (done >= (this.#gathering?.enough ?? 1)) this.#again = true
        else if (this.#mayGather()) break
      }
    } catch (error) {
      this.#logger.error({ error: errorMessage(error) }, this.#failed)
      return
    } finally {
      this.#running = null
    }
    if (this.#again) this.wake()
  }
}
