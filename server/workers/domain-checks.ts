/** Checks the DNS records of domains when a check is due (jmap/service/domain/checks.ts). */
import type { DueCheck } from '../../jmap/service/domain/checks.ts'
import {
  DOMAIN_CHECK_BUSY_MS,
  DOMAIN_CHECK_CONCURRENCY,
  DOMAIN_CHECK_LEASE_MS,
  DOMAIN_CHECK_SWEEP_MS,
} from '../base/domain-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'domainChecks' | 'onStateChange'>
}

export function domainCheckWorker({ core, clock, logger }: Needs): DueWorker<DueCheck> {
  return new DueWorker({
    name: 'dnscheck',
    work: core.domainChecks,
    // The next check of a domain that is new, or was checked by hand, is due at another time.
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('Domain' in changed) worker.wake()
      }),
    concurrency: DOMAIN_CHECK_CONCURRENCY,
    leaseMs: DOMAIN_CHECK_LEASE_MS,
    sweepMs: DOMAIN_CHECK_SWEEP_MS,
    busyMs: DOMAIN_CHECK_BUSY_MS,
    clock,
    logger,
  })
}
