/** Do what domains need when it is due (jmap/policy/registration/work.ts): orders at registrars, records at DNS providers, letters to owners. */
import type { Task } from '../../jmap/policy/registration/order.ts'
import {
  RECORDS_CONCURRENCY,
  WORK_BUSY_MS,
  WORK_CONCURRENCY,
  WORK_LEASE_MS,
  WORK_SWEEP_MS,
} from '../base/registration-limits.ts'
import { DueWorker, type Wakeable } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Core = WorkerDeps['core']
type Needs<Work extends keyof Core> = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<Core, Work | 'onStateChange'>
}

const TIMES = { leaseMs: WORK_LEASE_MS, sweepMs: WORK_SWEEP_MS, busyMs: WORK_BUSY_MS } as const

export function domainWorker({ core, clock, logger }: Needs<'domainWork'>): DueWorker<Task> {
  const [name, work, concurrency] = ['domainwork', core.domainWork, WORK_CONCURRENCY] as const
  return new DueWorker({ name, work, listen: listen(core), concurrency, ...TIMES, clock, logger })
}

export function recordsWorker({ core, clock, logger }: Needs<'domainRecords'>): DueWorker<Task> {
  const [name, work, concurrency] = ['domainrecords', core.domainRecords, RECORDS_CONCURRENCY] as const
  return new DueWorker({ name, work, listen: listen(core), concurrency, ...TIMES, clock, logger })
}

export function expiryWorker({ core, clock, logger }: Needs<'expiryLetters'>): DueWorker<Task> {
  const [name, work, concurrency] = ['expiryletters', core.expiryLetters, WORK_CONCURRENCY] as const
  return new DueWorker({ name, work, listen: listen(core), concurrency, ...TIMES, clock, logger })
}

function listen(core: Pick<Core, 'onStateChange'>) {
  return (worker: Wakeable) =>
    core.onStateChange(({ changed }) => {
      if ('Domain' in changed) worker.wake()
    })
}
