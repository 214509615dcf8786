/**
 * The free space on the file systems of a store. New content leaves a reserve free (promise D4), so that work that frees space can
 * still be written: deletions, checkpoints, outcomes of the queue. Small disks keep 5 %, large ones 100 MiB.
 */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../server/base/errors.ts'
import { DISK_LOOK_MS, DISK_LOOK_SHARE, DISK_RESERVE_BYTES, DISK_RESERVE_SHARE } from '../server/base/storage-limits.ts'

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

/**
 * @param folders need not exist yet
 * @param sizes of the file system of a folder
 * @param now ms, monotonic
 */
export function diskSpace(folders: readonly string[], sizes = sizesOf, now = () => performance.now()): DiskSpace {
  const places = new Map(folders.map(existingFolder).map((folder) => [statSync(folder).dev, folder]))
  const roomNow = () => {
    const rooms = [...places.values()].map(sizes).map(({ total, free }) => free - reserveOf(total))
    return Math.min(...rooms)
  }
  // To look costs as much as a hundredth of a mail. Far from the reserve, a look counts for the next octets.
  let known = { octets: 0, until: 0 }
  return {
    hasRoom(bytes) {
      if (bytes > 0 && bytes <= known.octets && now() < known.until) {
        known.octets -= bytes
        return true
      }
      const room = roomNow()
      known = { octets: Math.floor(room * DISK_LOOK_SHARE), until: now() + DISK_LOOK_MS }
      return bytes <= room
    },
  }
}

/** @throws Failure `storageFull` */
export function requireRoom(space: DiskSpace, bytes: number): void {
  if (!space.hasRoom(bytes)) throw new Failure('storageFull', 'the disk is full up to its reserve')
}

function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder))
}
