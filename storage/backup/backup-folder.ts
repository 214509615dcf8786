/**
 * A folder of backups:
 *
 *   lock                      held while a backup is taken
 *   blobs/<n>-<salt>.pack     copies of packs, which all backups share: packs only grow
 *   <time>/                   one backup: database.db, manifest.json, and the small files of the data folder
 *   <time>.part/              one that was not finished
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, Failure } from '../../server/base/errors.ts'

export const DATABASE = 'database.db'
export const BLOBS = 'blobs'
const MANIFEST = 'manifest.json'
const PART = '.part'
const NAME = /^\d{8}T\d{6}\.\d{3}Z$/
const FORMAT = 1

/** The octets that a backup needs of a pack. */
export interface KeptPack {
  readonly pack: number
  /** Name of its copy. */
  readonly copy: string
  readonly bytes: number
}

export interface Manifest {
  readonly format: typeof FORMAT
  /** Epoch ms: all that was acknowledged before is in it. */
  readonly takenAt: number
  readonly packs: readonly KeptPack[]
  /** Names of small files. */
  readonly files: readonly string[]
}

export interface Backup {
  readonly name: string
  readonly manifest: Manifest
}

/** @returns the name of a backup, such as `20261122T140000.000Z` */
export function backupName(takenAt: number): string {
  return new Date(takenAt).toISOString().replaceAll(/[-:]/g, '')
}

/** Epoch ms in a name. */
function timeIn(name: string): number {
  return Date.parse(name.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, '$1-$2-$3:$4:'))
}

/** Epoch ms for a backup that begins now: after all others, also if they began in the same millisecond or the clock was set back. */
export function nextBackupAt(folder: string, now: number): number {
  const newest = backupNames(folder).at(-1)
  return newest === undefined ? now : Math.max(now, timeIn(newest) + 1)
}

/** Names of complete ones, oldest first. @throws Failure `configuration` for a folder that cannot be read */
export function backupNames(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => NAME.test(name))
    .sort()
}

/** Those whose manifests can be read, oldest first: a damaged one harms no other. @throws Failure as `backupNames` does */
export function listBackups(folder: string): Backup[] {
  return backupNames(folder).flatMap((name) => {
    try {
      return [readBackup(folder, name)]
    } catch {
      return []
    }
  })
}

/** Epoch ms of the newest backup that can be read; null: there is none. */
export function lastBackupAt(folder: string): number | null {
  return listBackups(folder).at(-1)?.manifest.takenAt ?? null
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new Failure('configuration', `${folder} cannot be read: ${errorMessage(error)}`)
  }
}

/** @throws Failure `corrupt` */
export function readBackup(folder: string, name: string): Backup {
  const path = join(folder, name, MANIFEST)
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
    if (manifest.format === FORMAT) return { name, manifest }
    throw new Error(`its format is ${String(manifest.format)}, and this program knows ${FORMAT}`)
  } catch (error) {
    throw new Failure('corrupt', `${path}: ${errorMessage(error)}`)
  }
}

/** Begins a backup. @returns its folder, which does not count before `finishBackup` */
export function beginBackup(folder: string, name: string): string {
  for (const left of namesIn(folder)) if (left.endsWith(PART)) rmSync(join(folder, left), { recursive: true })
  mkdirSync(join(folder, BLOBS), { recursive: true, mode: 0o700 })
  const part = join(folder, name + PART)
  mkdirSync(part, { mode: 0o700 })
  return part
}

/** Writes what is in the backup, the last of its files. It counts once its folder has its name. */
export function writeManifest(part: string, manifest: Omit<Manifest, 'format'>): void {
  const path = join(part, MANIFEST)
  writeFileSync(path, JSON.stringify({ format: FORMAT, ...manifest }, null, 1), { mode: 0o600 })
  syncPath(path)
  syncPath(part)
}

/** fsync of a file or folder. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Deletes all but the newest backups, and copies of packs that none of those needs. @returns how many stay */
export function prune(folder: string, keep: number): number {
  const names = backupNames(folder)
  for (const name of names.slice(0, -keep)) rmSync(join(folder, name), { recursive: true })
  const [kept, readable] = [names.slice(-keep), listBackups(folder)]
  // Nobody knows what a damaged one needs.
  if (readable.length < kept.length) return kept.length
  const needed = new Set(readable.flatMap(({ manifest }) => manifest.packs.map(({ copy }) => copy)))
  for (const copy of namesIn(join(folder, BLOBS))) if (!needed.has(copy)) rmSync(join(folder, BLOBS, copy))
  return kept.length
}
