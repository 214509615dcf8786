/** Asks conferencing providers for the meetings of events (jmap/calendars/conferencing/meeting-queue.ts). */
import type { MeetingOutcome, MeetingTask } from '../../../jmap/calendars/conferencing/meeting-queue.ts'
import {
  MEETING_BUSY_MS,
  MEETING_CONCURRENCY,
  MEETING_LEASE_MS,
  MEETING_SWEEP_MS,
} from '../../base/conferencing-limits.ts'
import { Zoom } from '../../conferencing/zoom.ts'
import { DueWorker } from '../due-worker.ts'
import type { WorkerDeps } from '../worker.ts'

export function meetingWorker({ config, core, egress, clock, logger }: WorkerDeps): DueWorker<MeetingTask> {
  const zoom = new Zoom({ base: config.zoomUrl, fetch: egress.fetch.bind(egress), clock })
  return createMeetingWorker({ core, keep: zoom.keep.bind(zoom), clock, logger })
}

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'meetings' | 'onStateChange'>
  /** Never rejects. */
  readonly keep: (task: MeetingTask) => Promise<MeetingOutcome>
}

export function createMeetingWorker({ core, keep, clock, logger }: Needs): DueWorker<MeetingTask> {
  const { meetings } = core
  return new DueWorker({
    name: 'meeting',
    work: {
      ...meetings,
      async run(task) {
        const outcome = await keep(task)
        const { account, id } = task
        if (outcome.kind === 'failed')
          logger.info({ account, meeting: id, reason: outcome.reason }, 'a meeting was not kept')
        await meetings.report(task, outcome)
      },
    },
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('CalendarEvent' in changed || 'ConferencingConnection' in changed) worker.wake()
      }),
    concurrency: MEETING_CONCURRENCY,
    leaseMs: MEETING_LEASE_MS,
    sweepMs: MEETING_SWEEP_MS,
    busyMs: MEETING_BUSY_MS,
    clock,
    logger,
  })
}
