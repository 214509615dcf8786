/**
 * Checks domains whose time has come. The core's records are the queue (jmap/service/domain/checks.ts): they say what is due, and
 * leases keep nodes from doing the same. A worker that dies leaves its leases to the next; a check that fails comes again.
 */
import type { Core } from '../../../jmap/core.ts'
import type { DomainChecks, DueCheck } from '../../../jmap/service/domain/checks.ts'
import type { Clock } from '../../base/clock.ts'
import { DOMAIN_CHECK_CONCURRENCY, DOMAIN_CHECK_LEASE_MS, DOMAIN_CHECK_SWEEP_MS } from '../../base/domain-limits.ts'
import { errorMessage } from '../../base/errors.ts'
import { randomId } from '../../base/ids.ts'
import type { Logger } from '../../base/logger.ts'

export interface DomainCheckWorkerOptions {
  readonly core: Pick<Core, 'onStateChange'> & { readonly domainChecks: DomainChecks }
  readonly clock: Clock
  readonly logger: Logger
}

export class DomainCheckWorker {
  readonly #options: DomainCheckWorkerOptions
  readonly #owner = randomId('dnscheck')
  readonly #checking = new Set<Promise<void>>()
  #cancelTimer: () => void = () => {}
  #unsubscribe: () => void = () => {}
  #running = false
  #turn: Promise<void> | null = null
  #again = false

  constructor(options: DomainCheckWorkerOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = true
    // A domain that is new, or was checked by hand, has another time from then on.
    this.#unsubscribe = this.#options.core.onStateChange(({ changed }) => {
      if ('Domain' in changed) this.#wake()
    })
    this.#wake()
  }

  /** Begins no more checks and waits for those under way. */
  async stop(): Promise<void> {
    if (!this.#running) return
    this.#running = false
    this.#unsubscribe()
    this.#cancelTimer()
    await this.settled()
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#turn || this.#checking.size > 0) await Promise.all([this.#turn, ...this.#checking])
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
    let wait = DOMAIN_CHECK_SWEEP_MS
    try {
      while (this.#again && this.#running) {
        this.#again = false
        const room = DOMAIN_CHECK_CONCURRENCY - this.#checking.size
        // Every check that ends wakes it.
        if (room <= 0) return
        const next = await core.domainChecks.nextAt()
        if (next === null) continue
        if (next > clock.now()) {
          wait = Math.min(DOMAIN_CHECK_SWEEP_MS, next - clock.now())
          continue
        }
        for (const check of await core.domainChecks.claim(this.#owner, room, DOMAIN_CHECK_LEASE_MS)) this.#begin(check)
      }
    } catch (error) {
      logger.error({ error: errorMessage(error) }, 'domain checks could not be read')
    }
    this.#cancelTimer()
    if (this.#running) this.#cancelTimer = clock.after(wait, () => this.#wake())
  }

  #begin(check: DueCheck): void {
    const { core, logger } = this.#options
    const work = core.domainChecks
      .run(check)
      // The lease runs out, and the check is made again.
      .catch((error: unknown) => logger.error({ error: errorMessage(error) }, 'a domain could not be checked'))
      .finally(() => {
        this.#checking.delete(work)
        this.#wake()
      })
    this.#checking.add(work)
  }
}
