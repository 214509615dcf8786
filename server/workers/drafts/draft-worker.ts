/** Has a model write the replies that inbox rules owe: jmap/mail/delivery/model-drafts.ts says which. */
import type { Core } from '../../../jmap/core.ts'
import type { DraftOutcome, DraftTask, ModelDrafts } from '../../../jmap/mail/delivery/model-drafts.ts'
import type { Clock } from '../../base/clock.ts'
import { DRAFT_CLAIM_MAX, DRAFT_GATHER_MS, DRAFT_LEASE_MS, DRAFT_SWEEP_MS } from '../../base/delivery-limits.ts'
import type { Logger } from '../../base/logger.ts'
import { DueWorker } from '../due-worker.ts'

export interface DraftWorkerOptions {
  readonly core: Pick<Core, 'onStateChange'> & { readonly modelDrafts: ModelDrafts }
  /** Never rejects. */
  readonly ask: (task: DraftTask) => Promise<DraftOutcome>
  readonly clock: Clock
  readonly logger: Logger
}

export class DraftWorker {
  readonly #options: DraftWorkerOptions
  readonly #worker: DueWorker<DraftTask>
  #unsubscribe: () => void = () => {}
  #stopped = false

  constructor(options: DraftWorkerOptions) {
    const { core, clock, logger } = options
    this.#options = options
    const { modelDrafts } = core
    this.#worker = new DueWorker({
      name: 'draft',
      work: {
        nextAt: () => modelDrafts.nextAt(),
        claim: (owner, limit, leaseMs) => modelDrafts.claim(owner, limit, leaseMs),
        run: (task) => this.#run(task),
        renew: (leases, leaseMs) => modelDrafts.renew(leases, leaseMs),
      },
      concurrency: DRAFT_CLAIM_MAX,
      leaseMs: DRAFT_LEASE_MS,
      sweepMs: DRAFT_SWEEP_MS,
      busyMs: DRAFT_GATHER_MS,
      clock,
      logger,
    })
  }

  start(): void {
    this.#stopped = false
    // Requests come with mail; a look in a moment is enough for many of them.
    this.#unsubscribe = this.#options.core.onStateChange(({ changed }) => {
      if ('EmailDelivery' in changed) this.#worker.wakeIn(DRAFT_GATHER_MS)
    })
    this.#worker.start()
  }

  /** Asks nothing more. What is under way is not waited for: a model takes its time, and the lease brings the request back. */
  stop(): void {
    this.#stopped = true
    this.#unsubscribe()
    this.#worker.abandon()
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }

  async #run(task: DraftTask): Promise<void> {
    const outcome = await this.#options.ask(task)
    if (!this.#stopped) await this.#options.core.modelDrafts.report(task, outcome)
  }
}
