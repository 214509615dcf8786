/**
 * Only one process at a time opens a data folder: two that append to the same packs would overwrite each other. The lock is SQLite's
 * lock on an empty database in the folder. The operating system releases it when the process ends, in whatever way.
 */
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { errorMessage, Failure } from '../server/base/errors.ts'

export interface FolderLock {
  release(): void
}

/** Its presence says that a restore into the folder has not come to its end (storage/backup/restore-backup.ts). */
export const RESTORING = 'restoring'

/** @param what for messages. @throws Failure `configuration` when another process holds the lock */
export function lockFolder(folder: string, what = 'the data folder'): FolderLock {
  const file = join(folder, 'lock')
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    throw new Failure('configuration', `${what} cannot be locked: ${errorMessage(error)}`, { cause: error })
  }
  const database = new Database(file, { timeout: 0 })
  try {
    database.pragma('locking_mode = exclusive')
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
    throw new Failure('configuration', `${what} ${folder} is in use by another Posthouse`, { cause: error })
  }
  return { release: () => database.close() }
}
