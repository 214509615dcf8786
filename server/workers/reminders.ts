/** Sends the reminders of events that are due (jmap/calendars/reminders). */
import type { ReminderTurn } from '../../jmap/calendars/reminders/queue.ts'
import {
  REMINDER_BUSY_MS,
  REMINDER_CONCURRENCY,
  REMINDER_GATHER_MS,
  REMINDER_LEASE_MS,
  REMINDER_SWEEP_MS,
} from '../base/reminder-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'reminders' | 'onStateChange'>
}

/** What reminders depend on. */
const TYPES = ['CalendarEvent', 'Calendar', 'MailAccount']

export function reminderWorker({ core, clock, logger }: Needs): DueWorker<ReminderTurn> {
  const { reminders } = core
  return new DueWorker({
    name: 'reminder',
    work: {
      nextAt: reminders.nextAt,
      claim: reminders.claim,
      async run(turn) {
        const plan = await reminders.plan(turn)
        if (plan !== null) await reminders.fire(plan)
      },
    },
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if (TYPES.some((type) => type in changed)) worker.wakeIn(REMINDER_GATHER_MS)
      }),
    concurrency: REMINDER_CONCURRENCY,
    leaseMs: REMINDER_LEASE_MS,
    sweepMs: REMINDER_SWEEP_MS,
    busyMs: REMINDER_BUSY_MS,
    clock,
    logger,
  })
}
