/** Restores a backup into an empty data folder. Until it is complete, a mark in the folder keeps servers from starting on it. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { errorMessage, Failure, isFailure } from '../../server/base/errors.ts'
import { isFull } from '../blobs/disk.ts'
import { encodeFileHeader, newSalt } from '../blobs/pack-format.ts'
import { lockFolder, RESTORING } from '../folder-lock.ts'
import { type Backup, BLOBS, backupNames, DATABASE, readBackup, syncPath } from './backup-folder.ts'
import { copyOctets } from './copy-octets.ts'
import { renewNumbers } from './renew-numbers.ts'

export interface RestoreOptions {
  /** Folder of backups. */
  readonly folder: string
  /** Name of a backup; null: the newest. */
  readonly name: string | null
  /** The data folder, which exists. */
  readonly data: string
  readonly database: string
  readonly packs: string
}

export interface Restored {
  readonly name: string
  /** Epoch ms. */
  readonly takenAt: number
  /** Messages of the queue that are held. */
  readonly held: number
}

/** @throws Failure `configuration` (nothing to restore, a folder with data), `corrupt`, `storageFull`, `storageUnavailable` */
export function restoreBackup(options: RestoreOptions): Restored {
  const backup = choose(options)
  const lock = lockFolder(options.data)
  try {
    requireEmpty(options)
    return restore(options, backup)
  } catch (error) {
    if (isFailure(error)) throw error
    const code = isFull(error) ? 'storageFull' : 'storageUnavailable'
    throw new Failure(code, `the backup was not restored: ${errorMessage(error)}`, { cause: error })
  } finally {
    lock.release()
  }
}

function choose({ folder, name }: RestoreOptions): Backup {
  const names = backupNames(folder)
  const found = name === null ? names.at(-1) : names.find((one) => one === name)
  if (found !== undefined) return readBackup(folder, found)
  const what = name === null ? 'no backup' : `no backup ${name}`
  throw new Failure('configuration', `there is ${what} in ${folder}`)
}

function requireEmpty({ data, database, packs }: RestoreOptions): void {
  // A restore that was broken off may begin anew.
  if (existsSync(join(data, RESTORING))) return
  if (existsSync(database) || (existsSync(packs) && readdirSync(packs).length > 0))
    throw new Failure('configuration', `${data} holds data; a backup is restored into an empty data folder`)
}

function restore({ folder, data, database, packs }: RestoreOptions, { name, manifest }: Backup): Restored {
  writeFileSync(join(data, RESTORING), `${name}\n`, { mode: 0o600 })
  syncPath(data)
  restorePacks(join(folder, BLOBS), packs, manifest.packs)
  for (const file of manifest.files) copyWhole(join(folder, name, file), join(data, file))
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
  copyWhole(join(folder, name, DATABASE), database)
  const held = settle(database)
  syncPath(database)
  syncPath(data)
  rmSync(join(data, RESTORING))
  syncPath(data)
  return { name, takenAt: manifest.takenAt, held }
}

function restorePacks(copies: string, packs: string, kept: Backup['manifest']['packs']): void {
  rmSync(packs, { recursive: true, force: true })
  mkdirSync(packs, { recursive: true, mode: 0o700 })
  for (const { pack, copy, bytes } of kept)
    if (!copyOctets(join(copies, copy), join(packs, `${pack}.pack`), 0, bytes))
      throw new Failure('corrupt', `${join(copies, copy)} is shorter than its backup needs`)
  // The installation goes on in a pack of its own: the one that was the newest goes on otherwise in later backups of the first one.
  const highest = kept.at(-1)?.pack ?? 0
  const next = join(packs, `${highest + 1}.pack`)
  writeFileSync(next, encodeFileHeader(newSalt()), { mode: 0o600 })
  syncPath(next)
  syncPath(packs)
}

function copyWhole(source: string, target: string): void {
  copyOctets(source, target, 0, statSync(source).size)
}

/** @returns messages that are held */
function settle(path: string): number {
  const database = new Database(path)
  try {
    const [found] = database.pragma('quick_check(1)') as { quick_check: string }[]
    if (found?.quick_check !== 'ok')
      throw new Failure('corrupt', `the database of the backup is damaged: ${found?.quick_check}`)
    return renewNumbers(database)
  } finally {
    database.close()
  }
}
