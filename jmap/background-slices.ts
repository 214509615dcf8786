/** Work that follows behind the users' backs: one slice after the other while there is any, giving way to whatever else waits. */
import { errorMessage } from '../server/base/errors.ts'
import type { Logger } from '../server/base/logger.ts'

export class BackgroundSlices {
  readonly #logger: Logger
  readonly #failed: string
  readonly #slice: () => Promise<number>
  #running: Promise<void> | null = null
  #again = false
  #stopped = false

  /**
   * @param failed what the log says when a slice fails; the next `wake` tries again
   * @param slice returns how much it did; 0 when nothing waits
   */
  constructor(logger: Logger, failed: string, slice: () => Promise<number>) {
    this.#logger = logger
    this.#failed = failed
    this.#slice = slice
  }

  /** Something may be waiting. */
  wake(): void {
    this.#again = true
    this.#running ??= this.#run()
  }

  /** Resolves when all that waits is done. */
  async settle(): Promise<void> {
    this.wake()
    await this.#running
  }

  /** Resolves when the slice under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        await new Promise((resolve) => setImmediate(resolve))
        if (!this.#stopped && (await this.#slice()) > 0) this.#again = true
      }
    } catch (error) {
      this.#logger.error({ error: errorMessage(error) }, this.#failed)
    } finally {
      this.#running = null
    }
  }
}
