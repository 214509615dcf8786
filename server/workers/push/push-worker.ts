/**
 * Posts to push subscriptions. The core's records are the queue (jmap/push/subscription): a commit's bell makes subscriptions due, the
 * worker claims what is due, posts, and reports. A bell that was lost is made good by the look that each subscription gets now and
 * then.
 */
import type { Core, StateChange } from '../../../jmap/core.ts'
import type { Push } from '../../../jmap/push/push.ts'
import type { PushBell, PushReport, QueuedPush } from '../../../jmap/push/subscription/deliveries.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { PUSH_CONCURRENCY, PUSH_GATHER_MS, PUSH_LEASE_MS, PUSH_SWEEP_MS } from '../../base/push-limits.ts'
import { DueWorker } from '../due-worker.ts'

export interface PushWorkerOptions {
  readonly core: Pick<Core, 'onStateChange'> & {
    readonly push: Pick<Push, 'ring' | 'claim' | 'report' | 'nextAt' | 'onMissedChanges'>
  }
  /** Never rejects. */
  readonly post: (push: QueuedPush) => Promise<PushReport>
  readonly clock: Clock
  readonly logger: Logger
}

const CREDENTIAL_TYPES = ['ApiKey', 'MailAccount', 'Organization'] as const

export class PushWorker {
  readonly #options: PushWorkerOptions
  readonly #worker: DueWorker<QueuedPush>
  /** What changed and was not rung for yet. At the start, and when bells were lost, it may be anything. */
  #rung: { accounts: Set<number>; credentialsOf: Set<number> } | 'all' = 'all'
  #rangAt = Number.NEGATIVE_INFINITY
  #unsubscribe: readonly (() => void)[] = []

  constructor(options: PushWorkerOptions) {
    const { core, post, clock, logger } = options
    this.#options = options
    this.#worker = new DueWorker({
      name: 'push',
      work: {
        nextAt: async () => {
          await this.#ring()
          return core.push.nextAt()
        },
        claim: (owner, limit, leaseMs) => core.push.claim(owner, limit, leaseMs),
        run: async (push) => core.push.report([await post(push)]),
      },
      concurrency: PUSH_CONCURRENCY,
      leaseMs: PUSH_LEASE_MS,
      sweepMs: PUSH_SWEEP_MS,
      busyMs: PUSH_GATHER_MS,
      clock,
      logger,
    })
  }

  start(): void {
    const { core } = this.#options
    this.#unsubscribe = [
      core.onStateChange((change) => this.#hear(change)),
      core.push.onMissedChanges(() => {
        this.#rung = 'all'
        this.#worker.wake()
      }),
    ]
    this.#worker.start()
  }

  /** Begins no more posts and waits for those under way. */
  stop(): Promise<void> {
    for (const stop of this.#unsubscribe) stop()
    return this.#worker.stop()
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }

  #hear({ account, changed }: StateChange): void {
    if (this.#rung !== 'all') {
      this.#rung.accounts.add(account)
      if (CREDENTIAL_TYPES.some((type) => type in changed)) this.#rung.credentialsOf.add(account)
    }
    // Under load one ring is for many commits.
    const wait = this.#rangAt + PUSH_GATHER_MS - this.#options.clock.now()
    if (wait <= 0) this.#worker.wake()
    else this.#worker.wakeIn(wait)
  }

  async #ring(): Promise<void> {
    const rung = this.#rung
    this.#rung = { accounts: new Set(), credentialsOf: new Set() }
    const bell: PushBell | null =
      rung === 'all' ? null : { accounts: [...rung.accounts], credentialsOf: [...rung.credentialsOf] }
    if (bell?.accounts.length === 0) return
    this.#rangAt = this.#options.clock.now()
    try {
      await this.#options.core.push.ring(bell)
    } catch (error) {
      this.#rung = 'all'
      throw error
    }
  }
}
