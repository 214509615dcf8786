/** Backups by schedule: where to, when, and how many stay. */
import { resolve } from 'node:path'
import { BACKUP_KEEP, DEFAULT_BACKUP_SCHEDULE } from '../base/storage-limits.ts'
import { CronSchedule } from './cron-schedule.ts'
import type { SettingReader } from './setting-reader.ts'

export interface BackupSettings {
  /** Absolute path. */
  readonly folder: string
  readonly schedule: CronSchedule
  readonly keep: number
}

interface Kinds {
  readonly database: { readonly kind: 'sqlite' | 'postgres' }
  readonly blobs: { readonly kind: 'disk' | 's3' }
}

/** Why `posthouse backup` does not back up such an installation, and what does; null: it does. */
export function backupRefusal({ database, blobs }: Kinds): string | null {
  const CHECK = 'and check what is restored with posthouse verify --deep'
  if (database.kind === 'postgres')
    return blobs.kind === 's3'
      ? `posthouse backup is for SQLite: back up PostgreSQL with pg_dump or its continuous archiving, keep versions of the bucket in S3, ${CHECK}`
      : `posthouse backup is for SQLite: back up PostgreSQL with pg_dump or its continuous archiving, after it copy the folder of blobs and secret.key, ${CHECK}`
  return blobs.kind === 's3'
    ? `posthouse backup is for blobs on disk: copy the database with sqlite3's .backup, keep versions of the bucket in S3 and a copy of secret.key, ${CHECK}`
    : null
}

/** null: there is no schedule. */
export function readBackups(read: SettingReader, kinds: Kinds): BackupSettings | null {
  const folder = read.text('backup_to')
  const schedule = read.schedule('backup_schedule')
  const keep = read.number('backup_keep', 1)
  if (folder === null) {
    if (schedule !== null) read.refuse('backup_schedule', 'backups need a folder: set backup_to too')
    if (keep !== null) read.refuse('backup_keep', 'backups need a folder: set backup_to too')
    return null
  }
  const refusal = backupRefusal(kinds)
  if (refusal !== null) read.refuse('backup_to', refusal)
  return {
    folder: resolve(folder),
    schedule: schedule ?? CronSchedule.parse(DEFAULT_BACKUP_SCHEDULE)!,
    keep: keep ?? BACKUP_KEEP,
  }
}
