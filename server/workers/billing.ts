/** Settles the billing of organizations when it is due: after events of the provider, in the time of grace, and daily (jmap/billing/settle.ts). */
import type { BillingTask } from '../../jmap/billing/queue.ts'
import { BILLING_BUSY_MS, BILLING_CONCURRENCY, BILLING_LEASE_MS, BILLING_SWEEP_MS } from '../base/billing-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'billing' | 'onStateChange'>
}

export function billingWorker({ core, clock, logger }: Needs): DueWorker<BillingTask> {
  const { nextAt, claim, renew, settle } = core.billing
  return new DueWorker({
    name: 'billing',
    work: { nextAt, claim, renew, run: settle },
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('Billing' in changed) worker.wake()
      }),
    concurrency: BILLING_CONCURRENCY,
    leaseMs: BILLING_LEASE_MS,
    sweepMs: BILLING_SWEEP_MS,
    busyMs: BILLING_BUSY_MS,
    clock,
    logger,
  })
}
