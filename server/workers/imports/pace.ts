/** Lets other writes go first: after work beside which mail arrived or clients wrote, it waits as long as the work took. */
import type { Clock } from '../../base/clock.ts'
import type { WorkerDeps } from '../worker.ts'

/** Types whose changes follow from imports alone. */
const OWN = 'Import'
/** Milliseconds; a write that took longer was itself waiting. */
const MAX_WAIT_MS = 200

export class Pace {
  readonly #clock: Clock
  readonly #onStateChange: WorkerDeps['core']['onStateChange']
  /** Changes that others made since the last work. */
  #others = 0
  #stopListening: () => void = () => {}

  constructor({ clock, core }: { readonly clock: Clock; readonly core: Pick<WorkerDeps['core'], 'onStateChange'> }) {
    this.#clock = clock
    this.#onStateChange = core.onStateChange
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
    const took = Math.min(MAX_WAIT_MS, this.#clock.now() - started)
    const isAlone = this.#others === 0
    this.#others = 0
    if (!isAlone && took > 0) await new Promise<void>((resolve) => this.#clock.after(took, resolve))
    return result
  }
}
