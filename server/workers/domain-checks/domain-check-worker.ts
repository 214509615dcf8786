/** Checks domains whose time has come: jmap/service/domain/checks.ts says what is due. */
import type { Core } from '../../../jmap/core.ts'
import type { DomainChecks, DueCheck } from '../../../jmap/service/domain/checks.ts'
import type { Clock } from '../../base/clock.ts'
import {
  DOMAIN_CHECK_BUSY_MS,
  DOMAIN_CHECK_CONCURRENCY,
  DOMAIN_CHECK_LEASE_MS,
  DOMAIN_CHECK_SWEEP_MS,
} from '../../base/domain-limits.ts'
import type { Logger } from '../../base/logger.ts'
import { DueWorker } from '../due-worker.ts'

export interface DomainCheckWorkerOptions {
  readonly core: Pick<Core, 'onStateChange'> & { readonly domainChecks: DomainChecks }
  readonly clock: Clock
  readonly logger: Logger
}

export class DomainCheckWorker {
  readonly #core: DomainCheckWorkerOptions['core']
  readonly #worker: DueWorker<DueCheck>
  #unsubscribe: () => void = () => {}

  constructor({ core, clock, logger }: DomainCheckWorkerOptions) {
    this.#core = core
    this.#worker = new DueWorker({
      name: 'dnscheck',
      work: core.domainChecks,
      concurrency: DOMAIN_CHECK_CONCURRENCY,
      leaseMs: DOMAIN_CHECK_LEASE_MS,
      sweepMs: DOMAIN_CHECK_SWEEP_MS,
      busyMs: DOMAIN_CHECK_BUSY_MS,
      clock,
      logger,
    })
  }

  start(): void {
    // A domain that is new, or was checked by hand, has another time from then on.
    this.#unsubscribe = this.#core.onStateChange(({ changed }) => {
      if ('Domain' in changed) this.#worker.wake()
    })
    this.#worker.start()
  }

  /** Begins no more checks and waits for those under way. */
  stop(): Promise<void> {
    this.#unsubscribe()
    return this.#worker.stop()
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }
}
