/**
 * The free space on the file systems of a store. New content leaves a reserve free (promise D4), so that work that frees space can
 * still be written: deletions, checkpoints, outcomes of the queue. Small disks keep 5 %, large ones 100 MiB.
 */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../server/base/errors.ts'
import { DISK_RESERVE_BYTES, DISK_RESERVE_SHARE } from '../server/base/storage-limits.ts'

export interface DiskSpace {
  /** Whether `bytes` octets of content may be added. */
  hasRoom(bytes: number): boolean
}

/** For stores whose disks are not here. */
export const ROOM_ELSEWHERE: DiskSpace = { hasRoom: () => true }

/** Octets of a file system that stay free. */
export function reserveOf(totalBytes: number): number {
  return Math.min(DISK_RESERVE_BYTES, Math.floor(totalBytes * DISK_RESERVE_SHARE))
}

/** Octets of the file system of `path`, and those that are free for this user. */
export function sizesOf(path: string): { readonly total: number; readonly free: number } {
  const { bsize, blocks, bavail } = statfsSync(path)
  return { total: blocks * bsize, free: bavail * bsize }
}

/** @param folders need not exist yet */
export function diskSpace(folders: readonly string[], sizes = sizesOf): DiskSpace {
  const places = new Map(folders.map(existingFolder).map((folder) => [statSync(folder).dev, folder]))
  return {
    hasRoom: (bytes) =>
      [...places.values()].every((folder) => {
        const { total, free } = sizes(folder)
        return free - bytes >= reserveOf(total)
      }),
  }
}

/** @throws Failure `storageFull` */
export function requireRoom(space: DiskSpace, bytes: number): void {
  if (!space.hasRoom(bytes)) throw new Failure('storageFull', 'the disk is full up to its reserve')
}

function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder))
}
