/**
 * How long one import may hold a place while others wait for one. A place is free again after a commit, or, when the source sends too slowly for
 * one, in the middle. Without it, two slow sources would keep everybody waiting.
 */
import type { Clock } from '../../base/clock.ts'
import { IMPORT_TURN_MAX_MS, IMPORT_TURN_MS } from '../../base/import-limits.ts'
import type { WorkerDeps } from '../worker.ts'

export interface TurnDeps {
  readonly clock: Clock
  readonly core: { readonly imports: Pick<WorkerDeps['core']['imports'], 'nextAt'> }
  /** Aborted when the server stops. */
  readonly stop: AbortSignal
}

export class Turn {
  readonly #deps: TurnDeps
  readonly #begun: number
  readonly #abort = new AbortController()
  #cancel: () => void
  #hasEnded = false
  /** For the source: it stops when the server stops, and when the turn is over in the middle of something. */
  readonly signal: AbortSignal

  constructor(deps: TurnDeps) {
    this.#deps = deps
    this.#begun = deps.clock.now()
    this.signal = AbortSignal.any([deps.stop, this.#abort.signal])
    this.#cancel = deps.clock.after(IMPORT_TURN_MAX_MS, () => void this.#look())
  }

  /** It was ended in the middle of something. */
  get isCut(): boolean {
    return this.#abort.signal.aborted
  }

  /** After a commit: whether another import waits, and this one has had its time. */
  async isOver(): Promise<boolean> {
    const { clock } = this.#deps
    return clock.now() - this.#begun >= IMPORT_TURN_MS && (await this.#isWaitedFor())
  }

  end(): void {
    this.#hasEnded = true
    this.#cancel()
  }

  async #isWaitedFor(): Promise<boolean> {
    const { core, clock } = this.#deps
    const next = await core.imports.nextAt()
    return next !== null && next <= clock.now()
  }

  async #look(): Promise<void> {
    // If the store does not answer, the import finds that out itself.
    const isWaitedFor = await this.#isWaitedFor().catch(() => false)
    if (this.#hasEnded) return
    if (isWaitedFor) this.#abort.abort()
    else this.#cancel = this.#deps.clock.after(IMPORT_TURN_MS, () => void this.#look())
  }
}
