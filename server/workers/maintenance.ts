/** Removes expired data whose removal takes long (jmap/mail/maintenance.ts). */
import type { ScheduledTurns } from './scheduled.ts'
import type { WorkerDeps } from './worker.ts'

export function maintenance({ core }: Pick<WorkerDeps, 'core'>): ScheduledTurns {
  return { lastAt: core.maintenance.lastAt, take: core.maintenance.run }
}
