/** Takes backups by schedule, in a thread of their own (storage/backup). */

import { lastBackupAt } from '../../storage/backup/backup-folder.ts'
import { takeBackupInThread } from '../../storage/backup/backup-in-thread.ts'
import type { ScheduledTurns } from './scheduled.ts'
import type { WorkerDeps } from './worker.ts'

/** null: no folder for backups is set. */
export function backups({ config, clock }: Pick<WorkerDeps, 'config' | 'clock'>): ScheduledTurns | null {
  const { backups: settings, data, database, blobs } = config
  if (settings === null || database.kind !== 'sqlite' || blobs.kind !== 'disk') return null
  const { folder, keep } = settings
  const places = { data, database: database.file, packs: blobs.folder, folder, keep }
  return {
    lastAt: async () => lastBackupAt(folder),
    take: () => takeBackupInThread({ ...places, now: clock.now() }),
  }
}
