/**
 * Lets other writes go first. Beside them commits are small, and after each it waits some times as long as it took.
 */
import type { Clock } from '../../base/clock.ts'
import {
  IMPORT_ALONE_MS,
  IMPORT_BATCH_ALONE,
  IMPORT_BATCH_BESIDE,
  IMPORT_WAIT_FACTOR,
  IMPORT_WAIT_MAX_MS,
} from '../../base/import-limits.ts'
import type { WorkerDeps } from '../worker.ts'

/** Types whose changes follow from imports alone. */
const OWN = 'Import'

export class Pace {
  readonly #clock: Clock
  readonly #onStateChange: WorkerDeps['core']['onStateChange']
  /** When others last wrote. */
  #othersAt = Number.NEGATIVE_INFINITY
  #stopListening: () => void = () => {}

  constructor({ clock, core }: { readonly clock: Clock; readonly core: Pick<WorkerDeps['core'], 'onStateChange'> }) {
    this.#clock = clock
    this.#onStateChange = core.onStateChange
  }

  /** Messages that one commit may have. */
  get batch(): number {
    return this.#isAlone ? IMPORT_BATCH_ALONE : IMPORT_BATCH_BESIDE
  }

  get #isAlone(): boolean {
    return this.#clock.now() - this.#othersAt > IMPORT_ALONE_MS
  }

  start(): void {
    this.#stopListening = this.#onStateChange(({ changed }) => {
      if (!(OWN in changed)) this.#othersAt = this.#clock.now()
    })
  }

  stop(): void {
    this.#stopListening()
  }

  /** Runs work, and resolves when the next may begin. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    const started = this.#clock.now()
    const result = await work()
    const took = this.#clock.now() - started
    const wait = Math.min(IMPORT_WAIT_MAX_MS, took * IMPORT_WAIT_FACTOR)
    if (!this.#isAlone && wait > 0) await new Promise<void>((resolve) => this.#clock.after(wait, resolve))
    return result
  }
}
