/**
 * Has a model write the replies that inbox rules owe. The core's records are the queue (jmap/mail/delivery/model-drafts.ts); leases keep
 * nodes from doing the same, and one that dies leaves its leases to the next.
 */
import type { Core } from '../../../jmap/core.ts'
import type { DraftOutcome, DraftTask, ModelDrafts } from '../../../jmap/mail/delivery/model-drafts.ts'
import type { Clock } from '../../base/clock.ts'
import { DRAFT_CLAIM_MAX, DRAFT_GATHER_MS, DRAFT_LEASE_MS, DRAFT_SWEEP_MS } from '../../base/delivery-limits.ts'
import { errorMessage } from '../../base/errors.ts'
import { randomId } from '../../base/ids.ts'
import type { Logger } from '../../base/logger.ts'

export interface DraftWorkerOptions {
  readonly core: Pick<Core, 'onStateChange'> & { readonly modelDrafts: ModelDrafts }
  /** Never rejects. */
  readonly ask: (task: DraftTask) => Promise<DraftOutcome>
  readonly clock: Clock
  readonly logger: Logger
}

export class DraftWorker {
  readonly #options: DraftWorkerOptions
  readonly #owner = randomId('draft')
  #cancelTimer: () => void = () => {}
  #unsubscribe: () => void = () => {}
  #running = false
  #isSoon = false
  #turn: Promise<void> | null = null

  constructor(options: DraftWorkerOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = true
    // Requests come with mail; a look in a moment is enough for many of them.
    this.#unsubscribe = this.#options.core.onStateChange(({ changed }) => {
      if ('EmailDelivery' in changed && !this.#isSoon) this.#later(DRAFT_GATHER_MS)
    })
    this.#wake()
  }

  /** Asks nothing more. What is under way is not waited for: a model takes its time, and the lease brings the request back. */
  stop(): void {
    this.#running = false
    this.#unsubscribe()
    this.#cancelTimer()
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#turn) await this.#turn
  }

  #later(ms: number): void {
    if (!this.#running) return
    this.#isSoon = ms <= DRAFT_GATHER_MS
    this.#cancelTimer()
    this.#cancelTimer = this.#options.clock.after(ms, () => this.#wake())
  }

  #wake(): void {
    this.#isSoon = false
    if (!this.#running || this.#turn) return
    this.#turn = this.#work()
      .catch((error: unknown) => {
        this.#options.logger.error({ error: errorMessage(error) }, 'drafts could not be written')
        return DRAFT_SWEEP_MS
      })
      .then((wait) => {
        this.#turn = null
        this.#later(wait)
      })
  }

  /** Works on all that is due; milliseconds until the next look. */
  async #work(): Promise<number> {
    const { core, clock, ask } = this.#options
    while (this.#running) {
      const next = await core.modelDrafts.nextAt()
      if (next === null) return DRAFT_SWEEP_MS
      if (next > clock.now()) return Math.min(DRAFT_SWEEP_MS, Math.max(DRAFT_GATHER_MS, next - clock.now()))
      const tasks = await core.modelDrafts.claim(this.#owner, DRAFT_CLAIM_MAX, DRAFT_LEASE_MS)
      await Promise.all(
        tasks.map(async (task) => {
          const outcome = await ask(task)
          if (this.#running) await core.modelDrafts.report(task, outcome)
        }),
      )
    }
    return DRAFT_SWEEP_MS
  }
}
