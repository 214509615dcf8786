/** Background work in slices: one after the other while there is work. Between two slices other tasks of the event loop run. */
import type { Clock } from '../server/base/clock.ts'
import { errorMessage } from '../server/base/errors.ts'
import type { Logger } from '../server/base/logger.ts'

/** For work that is cheaper in larger slices: how long it may gather. */
export interface Gathering {
  readonly clock: Clock
  /** Milliseconds after which a slice begins, whatever its size. */
  readonly ms: number
  /** Amount of work that begins a slice at once. */
  readonly enough: number
  /** Amount of work that waits, as far as it is known. */
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
   * @param failed log message when a slice fails; the next `wake` tries again
   * @param slice resolves with the amount of work that it did; 0: nothing waits
   */
  constructor(logger: Logger, failed: string, slice: () => Promise<number>, gathering: Gathering | null = null) {
    this.#logger = logger
    this.#failed = failed
    this.#slice = slice
    this.#gathering = gathering
  }

  /** Work may be waiting. */
  wake(): void {
    this.#again = true
    if (this.#running || this.#stopped) return
    if (this.#mayGather()) this.#cancelTimer ??= this.#gathering!.clock.after(this.#gathering!.ms, () => this.#start())
    else this.#start()
  }

  /** Resolves when all waiting work is done. */
  async settle(): Promise<void> {
    this.#again = true
    this.#start()
    await this.#running
  }

  /** Begins no more slices. Resolves when the slice under way is done. */
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
        // A slice that was not full took all the work there was when it began.
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
