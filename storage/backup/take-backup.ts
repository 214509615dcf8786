/**
 * Takes a backup of SQLite and its packs while the server runs. First the database, as of one moment; then the octets of packs that its rows
 * refer to, which were durable before these rows, and stay for PACK_RETIRED_KEEP_MS after their blobs have moved.
 */
import { readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { errorMessage, Failure, isFailure } from '../../server/base/errors.ts'
import { SQLITE_BUSY_MS } from '../../server/base/limits.ts'
import { makeFolders } from '../../server/base/make-folders.ts'
import { BACKUP_FILE_MAX_BYTES, BACKUP_TRIES } from '../../server/base/storage-limits.ts'
import { isFull } from '../blobs/disk.ts'
import { lockFolder } from '../folder-lock.ts'
import {
  backupName,
  beginBackup,
  DATABASE,
  listBackups,
  nextBackupAt,
  prune,
  syncPath,
  writeManifest,
} from './backup-folder.ts'
import { copyOctets } from './copy-octets.ts'
import { copyPacks, neededOctets, PackGone } from './pack-copies.ts'

export interface BackupOptions {
  /** The data folder. */
  readonly data: string
  /** File of the database. */
  readonly database: string
  /** Folder of the packs. */
  readonly packs: string
  /** Where backups go. It is made if it is not there. */
  readonly folder: string
  /** How many backups stay, with this one. */
  readonly keep: number
  /** Epoch ms. */
  readonly now: number
}

export interface TakenBackup {
  readonly name: string
  /** Octets of the database, which is copied as a whole. */
  readonly databaseBytes: number
  /** Octets of packs in it, and those of them that earlier backups did not have. */
  readonly packBytes: number
  readonly copiedBytes: number
  /** Backups in the folder now. */
  readonly kept: number
}

/** @throws Failure `configuration`, `storageFull`, `storageUnavailable`, `corrupt`; earlier backups are as they were */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  try {
    makeFolders(options.folder, 0o700)
    const lock = lockFolder(options.folder, 'the backup folder')
    try {
      return await tryToTake(options)
    } finally {
      lock.release()
    }
  } catch (error) {
    if (isFailure(error)) throw error
    const code = isFull(error) ? 'storageFull' : 'storageUnavailable'
    throw new Failure(code, `the backup was not taken: ${errorMessage(error)}`, { cause: error })
  }
}

async function tryToTake(options: BackupOptions): Promise<TakenBackup> {
  for (let tries = 1; ; tries++) {
    try {
      return await take(options)
    } catch (error) {
      if (!(error instanceof PackGone)) throw error
      if (tries === BACKUP_TRIES) throw new Failure('corrupt', `${error.message} is missing, and the database needs it`)
    }
  }
}

async function take({ data, database, packs, folder, keep, now }: BackupOptions): Promise<TakenBackup> {
  const earlier = listBackups(folder)
  const takenAt = nextBackupAt(folder, now)
  const name = backupName(takenAt)
  const part = beginBackup(folder, name)
  const copy = join(part, DATABASE)
  await copyDatabase(database, copy)
  const { kept: packsKept, copiedBytes } = copyPacks(packs, folder, neededOctets(locationsIn(copy)), earlier)
  const files = smallFiles(data)
  for (const file of files) copyOctets(join(data, file), join(part, file), 0, statSync(join(data, file)).size)
  syncPath(copy)
  writeManifest(part, { takenAt, packs: packsKept, files })
  renameSync(part, join(folder, name))
  syncPath(folder)
  const packBytes = packsKept.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    name,
    databaseBytes: statSync(join(folder, name, DATABASE)).size,
    packBytes,
    copiedBytes,
    kept: prune(folder, keep),
  }
}

/** In one step: were it several, each commit between two of them would make it begin anew. Writers do not wait for it. */
async function copyDatabase(database: string, copy: string): Promise<void> {
  const ALL_PAGES = 0x7fff_ffff
  const source = new Database(database, { readonly: true, fileMustExist: true, timeout: SQLITE_BUSY_MS })
  try {
    await source.backup(copy, { progress: () => ALL_PAGES })
  } finally {
    source.close()
  }
}

function locationsIn(copy: string): string[] {
  const database = new Database(copy)
  try {
    // One file, without a log beside it.
    database.pragma('journal_mode = delete')
    return database.prepare('select location from blob where location is not null').pluck().all() as string[]
  } finally {
    database.close()
  }
}

/** Files beside the database that an installation needs: the key of its secrets, certificates, credentials of dev mode. */
function smallFiles(data: string): string[] {
  return readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^posthouse\.db|^lock$|^restoring$|^check-needed$|\.new$/.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => statSync(join(data, name)).size <= BACKUP_FILE_MAX_BYTES)
}
