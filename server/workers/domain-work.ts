/** Does what domains need at registrars and DNS providers when a step is due (jmap/policy/registration/work.ts). */
import type { Task } from '../../jmap/policy/registration/order.ts'
import { WORK_BUSY_MS, WORK_CONCURRENCY, WORK_LEASE_MS, WORK_SWEEP_MS } from '../base/registration-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'domainWork' | 'onStateChange'>
}

export function domainWorker({ core, clock, logger }: Needs): DueWorker<Task> {
  return new DueWorker({
    name: 'domainwork',
    work: core.domainWork,
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('Domain' in changed) worker.wake()
      }),
    concurrency: WORK_CONCURRENCY,
    leaseMs: WORK_LEASE_MS,
    sweepMs: WORK_SWEEP_MS,
    busyMs: WORK_BUSY_MS,
    clock,
    logger,
  })
}
