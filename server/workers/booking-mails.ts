/** Sends the mails about bookings that are due: reminders, and those that waited for the link of a meeting (jmap/bookings/reminders.ts). */
import type { BookingTask } from '../../jmap/bookings/reminders.ts'
import {
  BOOKING_MAIL_BUSY_MS,
  BOOKING_MAIL_CONCURRENCY,
  BOOKING_MAIL_GATHER_MS,
  BOOKING_MAIL_LEASE_MS,
  BOOKING_MAIL_SWEEP_MS,
} from '../base/booking-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'bookings' | 'onStateChange'>
}

export function bookingMailWorker({ core, clock, logger }: Needs): DueWorker<BookingTask> {
  const { bookings } = core
  return new DueWorker({
    name: 'booking mail',
    work: {
      nextAt: bookings.nextDueAt,
      claim: bookings.claimDue,
      run: ({ row }) => bookings.sendDue(row),
    },
    // A booking is an event.
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('CalendarEvent' in changed) worker.wakeIn(BOOKING_MAIL_GATHER_MS)
      }),
    concurrency: BOOKING_MAIL_CONCURRENCY,
    leaseMs: BOOKING_MAIL_LEASE_MS,
    sweepMs: BOOKING_MAIL_SWEEP_MS,
    busyMs: BOOKING_MAIL_BUSY_MS,
    clock,
    logger,
  })
}
