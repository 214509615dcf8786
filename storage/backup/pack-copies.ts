/** Copies of packs. A pack only grows, so a later backup copies what has been added; its salt tells it from one of the same number. */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../server/base/errors.ts'
import { isAbsent } from '../blobs/disk.ts'
import { decodeFileHeader, FILE_HEADER_BYTES, parseLocation, recordBytes } from '../blobs/pack-format.ts'
import { type Backup, BLOBS, type KeptPack, syncPath } from './backup-folder.ts'
import { copyOctets } from './copy-octets.ts'

/** A pack that the snapshot refers to has gone, since its blobs have moved: a new snapshot refers to where they are now. */
export class PackGone extends Error {
  override readonly name = 'PackGone'
}

/** From the locations of blobs: how many octets of each pack hold them. @throws Failure `configuration`: they are not in packs */
export function neededOctets(locations: Iterable<string>): Map<number, number> {
  const needed = new Map<number, number>()
  for (const location of locations) {
    const at = parseLocation(location)
    if (!at) throw new Failure('configuration', 'blobs of this installation are in S3, which keeps versions of its own')
    needed.set(at.pack, Math.max(needed.get(at.pack) ?? 0, at.offset + recordBytes(at.length)))
  }
  return needed
}

/**
 * Brings the copies up to what is needed.
 * @param earlier backups whose octets of packs are known to be on disk
 * @throws PackGone
 */
export function copyPacks(
  packs: string,
  folder: string,
  needed: ReadonlyMap<number, number>,
  earlier: readonly Backup[],
): { readonly kept: KeptPack[]; readonly copiedBytes: number } {
  const durable = new Map<string, number>()
  for (const { manifest } of earlier)
    for (const { copy, bytes } of manifest.packs) durable.set(copy, Math.max(durable.get(copy) ?? 0, bytes))
  const kept: KeptPack[] = []
  let copiedBytes = 0
  for (const [pack, bytes] of [...needed].sort(([a], [b]) => a - b)) {
    const source = join(packs, `${pack}.pack`)
    const copy = `${pack}-${saltIn(source)}.pack`
    const from = durable.get(copy) ?? 0
    if (from < bytes) {
      if (!copyOctets(source, join(folder, BLOBS, copy), from, bytes))
        throw new Failure('corrupt', `${source} is shorter than the database says`)
      copiedBytes += bytes - from
    }
    kept.push({ pack, copy, bytes })
  }
  if (copiedBytes > 0) syncPath(join(folder, BLOBS))
  return { kept, copiedBytes }
}

/** In hexadecimal digits. */
function saltIn(path: string): string {
  const header = Buffer.alloc(FILE_HEADER_BYTES)
  try {
    const file = openSync(path, 'r')
    try {
      readSync(file, header, 0, header.length, 0)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isAbsent(error)) throw new PackGone(path)
    throw error
  }
  const salt = decodeFileHeader(header)
  if (!salt) throw new Failure('corrupt', `${path} does not begin as a pack`)
  return Buffer.from(salt).toString('hex')
}
