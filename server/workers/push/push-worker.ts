/**
 * Posts to push subscriptions. The core's records are the queue (jmap/push/subscription): a commit's bell makes subscriptions due, the
 * worker claims what is due, posts, and reports. A bell that was lost is made good by the look that each subscription gets now and
 * then; a worker that dies leaves its leases to the next.
 */
import type { Core, StateChange } from '../../../jmap/core.ts'
import type { Push } from '../../../jmap/push/push.ts'
import type { PushBell, PushReport, QueuedPush } from '../../../jmap/push/subscription/deliveries.ts'
import type { Clock } from '../../base/clock.ts'
import { errorMessage } from '../../base/errors.ts'
import { randomId } from '../../base/ids.ts'
import type { Logger } from '../../base/logger.ts'
import { PUSH_CONCURRENCY, PUSH_GATHER_MS, PUSH_LEASE_MS, PUSH_SWEEP_MS } from '../../base/push-limits.ts'

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
  readonly #owner = randomId('push')
  readonly #posting = new Set<Promise<void>>()
  /** What changed and was not rung for yet. At the start, and when bells were lost, it may be anything. */
  #rung: { accounts: Set<number>; credentialsOf: Set<number> } | 'all' = 'all'
  #rangAt = Number.NEGATIVE_INFINITY
  #cancelTimer: () => void = () => {}
  #unsubscribe: readonly (() => void)[] = []
  #running = false
  #turn: Promise<void> | null = null
  #again = false

  constructor(options: PushWorkerOptions) {
    this.#options = options
  }

  start(): void {
    const { core } = this.#options
    this.#running = true
    this.#unsubscribe = [
      core.onStateChange((change) => this.#hear(change)),
      core.push.onMissedChanges(() => {
        this.#rung = 'all'
        this.#wake()
      }),
    ]
    this.#wake()
  }

  /** Begins no more posts and waits for those under way. */
  async stop(): Promise<void> {
    if (!this.#running) return
    this.#running = false
    for (const stop of this.#unsubscribe) stop()
    this.#cancelTimer()
    await this.settled()
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#turn || this.#posting.size > 0) await Promise.all([this.#turn, ...this.#posting])
  }

  #hear({ account, changed }: StateChange): void {
    if (this.#rung !== 'all') {
      this.#rung.accounts.add(account)
      if (CREDENTIAL_TYPES.some((type) => type in changed)) this.#rung.credentialsOf.add(account)
    }
    const wait = this.#untilRing()
    if (wait <= 0) this.#wake()
    else this.#later(wait)
  }

  #wake(): void {
    if (!this.#running) return
    this.#again = true
    if (this.#turn) return
    this.#turn = this.#takeTurns().finally(() => {
      this.#turn = null
      if (this.#again) this.#wake()
    })
  }

  async #takeTurns(): Promise<void> {
    const { core, clock, logger } = this.#options
    let wait = PUSH_SWEEP_MS
    try {
      while (this.#again && this.#running) {
        this.#again = false
        await this.#ring()
        const room = PUSH_CONCURRENCY - this.#posting.size
        // Every post that ends wakes it.
        if (room <= 0) break
        const claimed = await core.push.claim(this.#owner, room, PUSH_LEASE_MS)
        for (const push of claimed) this.#begin(push)
      }
      const next = await core.push.nextAt()
      // What is due and could not be claimed, another worker has.
      if (next !== null) wait = Math.min(wait, next > clock.now() ? next - clock.now() : PUSH_GATHER_MS)
    } catch (error) {
      logger.error({ error: errorMessage(error) }, 'push subscriptions could not be read')
      this.#rung = 'all'
      this.#rangAt = clock.now() + PUSH_SWEEP_MS
    }
    // A bell that rang during this turn waits for its time, not for the next sweep.
    const isRung = this.#rung === 'all' || this.#rung.accounts.size > 0
    this.#later(isRung ? Math.min(wait, Math.max(this.#untilRing(), 0)) : wait)
  }

  /** Milliseconds until the next ring: under load one is for many commits. */
  #untilRing(): number {
    return this.#rangAt + PUSH_GATHER_MS - this.#options.clock.now()
  }

  async #ring(): Promise<void> {
    const rung = this.#rung
    this.#rung = { accounts: new Set(), credentialsOf: new Set() }
    const bell: PushBell | null =
      rung === 'all' ? null : { accounts: [...rung.accounts], credentialsOf: [...rung.credentialsOf] }
    if (bell?.accounts.length === 0) return
    this.#rangAt = this.#options.clock.now()
    await this.#options.core.push.ring(bell)
  }

  #begin(push: QueuedPush): void {
    const { core, post, logger } = this.#options
    const work = post(push)
      .then((report) => core.push.report([report]))
      // The lease runs out, and the push is made again.
      .catch((error: unknown) => logger.error({ error: errorMessage(error) }, 'a push could not be reported'))
      .finally(() => {
        this.#posting.delete(work)
        this.#wake()
      })
    this.#posting.add(work)
  }

  #later(ms: number): void {
    this.#cancelTimer()
    if (this.#running) this.#cancelTimer = this.#options.clock.after(ms, () => this.#wake())
  }
}
