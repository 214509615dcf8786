import { errorMessage } from '../../../server/base/errors.ts'
import type { Services } from '../../context.ts'
import { learnMarks } from './trainer.ts'

/** Learns behind the users' backs: one slice of marks after the other, giving way to whatever else waits. */
export class BackgroundTrainer {
  readonly #services: Services
  #running: Promise<void> | null = null
  #again = false
  #stopped = false

  constructor(services: Services) {
    this.#services = services
  }

  /** Marks may be waiting. */
  wake(): void {
    this.#again = true
    this.#running ??= this.#run()
  }

  /** Resolves when all that waits is learned. */
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
        if (!this.#stopped && (await learnMarks(this.#services)) > 0) this.#again = true
      }
    } catch (error) {
      this.#services.logger.error({ error: errorMessage(error) }, 'learning from marks failed')
    } finally {
      this.#running = null
    }
  }
}
