/** Sends messages about events to their participants (jmap/calendars/scheduling). */
import type { SchedulingTask } from '../../jmap/calendars/scheduling/outgoing-queue.ts'
import {
  SCHEDULING_BUSY_MS,
  SCHEDULING_CONCURRENCY,
  SCHEDULING_LEASE_MS,
  SCHEDULING_SWEEP_MS,
} from '../base/scheduling-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'scheduling' | 'onStateChange'>
}

export function schedulingMessages({ core, clock, logger }: Needs): DueWorker<SchedulingTask> {
  const { nextAt, claim, renew, send } = core.scheduling
  return new DueWorker({
    name: 'scheduling',
    work: { nextAt, claim, renew, run: send },
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('CalendarEvent' in changed) worker.wake()
      }),
    concurrency: SCHEDULING_CONCURRENCY,
    leaseMs: SCHEDULING_LEASE_MS,
    sweepMs: SCHEDULING_SWEEP_MS,
    busyMs: SCHEDULING_BUSY_MS,
    clock,
    logger,
  })
}
