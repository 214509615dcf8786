/**
 * Posts to push subscriptions. The core's records are the queue (jmap/push/subscription): a commit makes subscriptions due; the worker
 * claims them, posts, and reports. Each subscription is also checked at intervals, in case a notification was lost.
 */
import type { StateChange } from '../../../jmap/push/state-changes.ts'
import type { PushReport, QueuedPush } from '../../../jmap/push/subscription/deliveries.ts'
import { Vapid } from '../../../jmap/push/vapid.ts'
import { PUSH_CONCURRENCY, PUSH_GATHER_MS, PUSH_LEASE_MS, PUSH_SWEEP_MS } from '../../base/push-limits.ts'
import { DueWorker, type Wakeable } from '../due-worker.ts'
import type { WorkerDeps } from '../worker.ts'
import { postPush } from './post.ts'

export function pushWorker({ config, core, egress, clock, logger }: WorkerDeps): DueWorker<QueuedPush> {
  // RFC 8292 2.1: the contact for operators of push services.
  const vapid = new Vapid(core.vapidKeys, `mailto:${config.postmaster}`, clock)
  const fetch = egress.fetch.bind(egress)
  return createPushWorker({ core, post: (push) => postPush({ fetch, vapid, clock, logger }, push), clock, logger })
}

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'push' | 'onStateChange'>
  /** Never rejects. */
  readonly post: (push: QueuedPush) => Promise<PushReport>
}

export function createPushWorker({ core, post, clock, logger }: Needs): DueWorker<QueuedPush> {
  const unmarked = new UnmarkedChanges(core, clock)
  return new DueWorker({
    name: 'push',
    work: {
      async nextAt() {
        await unmarked.mark()
        return core.push.nextAt()
      },
      claim: core.push.claim,
      run: async (push) => core.push.report([await post(push)]),
    },
    listen: (worker) => unmarked.listen(worker),
    concurrency: PUSH_CONCURRENCY,
    leaseMs: PUSH_LEASE_MS,
    sweepMs: PUSH_SWEEP_MS,
    busyMs: PUSH_GATHER_MS,
    clock,
    logger,
  })
}

/** Changes whose subscriptions have not been marked as due yet. */
class UnmarkedChanges {
  readonly #core: Needs['core']
  readonly #clock: Needs['clock']
  /** `all`: anything may have changed, as at the start and when notifications were lost. */
  #changed: { accounts: Set<number>; credentialsOf: Set<number> } | 'all' = 'all'
  #markedAt = Number.NEGATIVE_INFINITY

  constructor(core: Needs['core'], clock: Needs['clock']) {
    this.#core = core
    this.#clock = clock
  }

  listen(worker: Wakeable): () => void {
    const stops = [
      this.#core.onStateChange((change) => this.#add(change, worker)),
      this.#core.push.onMissedChanges(() => {
        this.#changed = 'all'
        worker.wake()
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  async mark(): Promise<void> {
    const changed = this.#changed
    this.#changed = { accounts: new Set(), credentialsOf: new Set() }
    if (changed !== 'all' && changed.accounts.size === 0) return
    this.#markedAt = this.#clock.now()
    try {
      await this.#core.push.markDue(
        changed === 'all' ? null : { accounts: [...changed.accounts], credentialsOf: [...changed.credentialsOf] },
      )
    } catch (error) {
      this.#changed = 'all'
      throw error
    }
  }

  #add({ account, invalidatesCredentials }: StateChange, worker: Wakeable): void {
    if (this.#changed !== 'all') {
      this.#changed.accounts.add(account)
      if (invalidatesCredentials) this.#changed.credentialsOf.add(account)
    }
    // Under load, subscriptions are marked once for many commits.
    const wait = this.#markedAt + PUSH_GATHER_MS - this.#clock.now()
    if (wait <= 0) worker.wake()
    else worker.wakeIn(wait)
  }
}
