import { errorMessage } from '../../../server/base/errors.ts'
import type { Services } from '../../context.ts'
import { indexPending } from './indexer.ts'

/** Brings the index up to date behind deliveries: one slice after the other, giving way to whatever else waits. */
export class BackgroundIndexer {
  readonly #services: Services
  #running: Promise<void> | null = null
  #again = false
  #stopped = false

  constructor(services: Services) {
    this.#services = services
  }

  /** Something may be pending. */
  wake(): void {
    this.#again = true
    this.#running ??= this.#run()
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
        if (!this.#stopped && (await indexPending(this.#services, null)) > 0) this.#again = true
      }
    } catch (error) {
      this.#services.logger.error({ error: errorMessage(error) }, 'indexing failed')
    } finally {
      this.#running = null
    }
  }
}
