/** Deletes the subscribers of large audiences that were deleted (jmap/newsletters/audience/removal.ts). */
import type { AudienceRemoval } from '../../jmap/newsletters/audience/removal.ts'
import {
  AUDIENCE_REMOVAL_BUSY_MS,
  AUDIENCE_REMOVAL_LEASE_MS,
  AUDIENCE_REMOVAL_SWEEP_MS,
} from '../base/audience-limits.ts'
import { DueWorker } from './due-worker.ts'
import type { WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'clock' | 'logger'> & {
  readonly core: Pick<WorkerDeps['core'], 'audienceRemovals' | 'onStateChange'>
}

export function audienceRemovalWorker({ core, clock, logger }: Needs): DueWorker<AudienceRemoval> {
  return new DueWorker({
    name: 'audienceremoval',
    work: core.audienceRemovals,
    listen: (worker) =>
      core.onStateChange(({ changed }) => {
        if ('Audience' in changed) worker.wakeIn(AUDIENCE_REMOVAL_BUSY_MS)
      }),
    // One after the other: they would only wait for each other's commits.
    concurrency: 1,
    leaseMs: AUDIENCE_REMOVAL_LEASE_MS,
    sweepMs: AUDIENCE_REMOVAL_SWEEP_MS,
    busyMs: AUDIENCE_REMOVAL_BUSY_MS,
    clock,
    logger,
  })
}
