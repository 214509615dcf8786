/** All workers of the server: one line for each, with its times and the function that creates it. */
import { IMPORT_STAGED_SWEEP_MS } from '../base/import-limits.ts'
import { SWEEP_EVERY_MS, SWEEP_FIRST_MS, TLS_CHECK_MS } from '../base/limits.ts'
import { OWNER_MAIL_EVERY_MS, REPUTATION_EVERY_MS } from '../base/sending-limits.ts'
import { audienceRemovalWorker } from './audience-removals.ts'
import { backups } from './backups.ts'
import { billingWorker } from './billing.ts'
import { bookingMailWorker } from './booking-mails.ts'
import { domainCheckWorker } from './domain-checks.ts'
import { domainWorker, expiryWorker, recordsWorker } from './domain-work.ts'
import { draftWorker } from './drafts/draft-worker.ts'
import { ImportWorker } from './imports/import-worker.ts'
import { sweepStaged } from './imports/staged-sweep.ts'
import { lateCalendars } from './late-calendars.ts'
import { maintenance } from './maintenance.ts'
import { meetingWorker } from './meetings/meeting-worker.ts'
import { newsletterWorker } from './newsletters.ts'
import { planNotices } from './plan-notices.ts'
import { pushWorker } from './push/push-worker.ts'
import { reminderWorker } from './reminders.ts'
import { reputations } from './reputations.ts'
import { schedulingMessages } from './scheduling-messages.ts'
import { sweep } from './sweep.ts'
import { tlsRenewal } from './tls-renewal.ts'
import { webhookWorker } from './webhooks/webhook-worker.ts'
import { every, onSchedule, type When, type Worker, type WorkerDeps, whenDue } from './worker.ts'

/** null: the configuration does not need the worker. */
type Line = (deps: WorkerDeps) => Worker | null

/** In the order in which they start. */
const WORKERS: readonly Line[] = [
  line('sweep', every(SWEEP_EVERY_MS, SWEEP_FIRST_MS), sweep),
  line(
    'maintenance',
    onSchedule(({ maintenanceSchedule }) => maintenanceSchedule),
    maintenance,
  ),
  line(
    'backup',
    onSchedule(({ backups }) => backups!.schedule),
    backups,
  ),
  line('push', whenDue, pushWorker),
  line('domain checks', whenDue, domainCheckWorker),
  line('domain work', whenDue, domainWorker),
  line('domain records', whenDue, recordsWorker),
  line('expiry letters', whenDue, expiryWorker),
  line('reputations', every(REPUTATION_EVERY_MS), reputations),
  line('plan notices', every(OWNER_MAIL_EVERY_MS), planNotices),
  line('billing', whenDue, billingWorker),
  line('booking mails', whenDue, bookingMailWorker),
  line('meetings', whenDue, meetingWorker),
  line('scheduling messages', whenDue, schedulingMessages),
  line('late calendars', whenDue, lateCalendars),
  line('newsletters', whenDue, newsletterWorker),
  line('audience removals', whenDue, audienceRemovalWorker),
  line('webhooks', whenDue, webhookWorker),
  line('model drafts', whenDue, draftWorker),
  line('reminders', whenDue, reminderWorker),
  line('imports', whenDue, (deps) => new ImportWorker(deps)),
  line('staged files', every(IMPORT_STAGED_SWEEP_MS), (deps) => () => sweepStaged(deps)),
  line('TLS renewal', every(TLS_CHECK_MS), tlsRenewal),
]

export function line<Made>(name: string, when: When<Made>, make: (deps: WorkerDeps) => Made | null): Line {
  return (deps) => {
    const made = make(deps)
    return made && when(made, name, deps)
  }
}

/** Creates the workers; none runs yet. */
export function createWorkers(deps: WorkerDeps, lines: readonly Line[] = WORKERS): Worker[] {
  return lines.map((create) => create(deps)).filter((worker) => worker !== null)
}
