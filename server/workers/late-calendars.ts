/** Takes scheduling messages that could not be read while their mail was delivered (jmap/delivery/late-calendars.ts). */
import type { LateCalendarTask } from '../../jmap/delivery/late-calendars.ts'
import {
  SCHEDULING_LATE_BUSY_MS,
  SCHEDULING_LATE_CONCURRENCY,
  SCHEDULING_LATE_LEASE_MS,
  SCHEDULING_LATE_SWEEP_MS,
} from '../base/calendar-data-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & { readonly core: Pick<WorkerDeps['core'], 'lateCalendars'> }

/** The mails are late already: the sweep finds them. */
export function lateCalendars({ core, clock, logger }: Needs): DueWorker<LateCalendarTask> {
  const { nextAt, claim, renew, take } = core.lateCalendars
  return new DueWorker({
    name: 'late calendars',
    work: { nextAt, claim, renew, run: take },
    concurrency: SCHEDULING_LATE_CONCURRENCY,
    leaseMs: SCHEDULING_LATE_LEASE_MS,
    sweepMs: SCHEDULING_LATE_SWEEP_MS,
    busyMs: SCHEDULING_LATE_BUSY_MS,
    clock,
    logger,
  })
}
