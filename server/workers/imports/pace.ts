/**
 * Lets other writes go first. Beside them commits are small, and after each it waits as long as it took; some times as long if it was slow,
 * because then the machine has no more to give.
 */
import type { Clock } from '../../base/clock.ts'
import {
  IMPORT_BATCH_ALONE,
  IMPORT_BATCH_BESIDE,
  IMPORT_SLOW_FACTOR,
  IMPORT_SLOW_MS,
  IMPORT_WAIT_MAX_MS,
} from '../../base/import-limits.ts'
import type { WorkerDeps } from '../worker.ts'

/** Types whose changes follow from imports alone. */
const OWN = 'Import'

export class Pace {
  readonly #clock: Clock
  readonly #onStateChange: WorkerDeps['core']['onStateChange']
  /** Changes that others made since the last work. */
  #others = 0
  #isAlone = true
  #stopListening: () => void = () => {}

  constructor({ clock, core }: { readonly clock: Clock; readonly core: Pick<WorkerDeps['core'], 'onStateChange'> }) {
    this.#clock = clock
    this.#onStateChange = core.onStateChange
  }

  /** Messages that one commit may have. */
  get batch(): number {
    return this.#isAlone && this.#others === 0 ? IMPORT_BATCH_ALONE : IMPORT_BATCH_BESIDE
  }

  start(): void {
    this.#stopListening = this.#onStateChange(({ changed }) => {
      if (!(OWN in changed)) this.#others++
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
    this.#isAlone = this.#others === 0
    this.#others = 0
    const factor = took > IMPORT_SLOW_MS ? IMPORT_SLOW_FACTOR : 1
    const wait = Math.min(IMPORT_WAIT_MAX_MS, took * factor)
    if (!this.#isAlone && wait > 0) await new Promise<void>((resolve) => this.#clock.after(wait, resolve))
    return result
  }
}
