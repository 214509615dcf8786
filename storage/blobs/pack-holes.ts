/**
 * Notes of removed blobs, in a file beside their pack: entries of 16 octets (offset 6, time 6, CRC-32 4). They are not synced: without
 * its note a removed blob takes up space, until the sweep removes it again. The sum includes the pack's salt, so that the notes of one
 * pack never apply to another pack of the same name, as after a restore.
 */
import { crc32 } from 'node:zlib'
import { isAbsent } from './disk.ts'
import type { PackFolder } from './pack-folder.ts'

const ENTRY_BYTES = 16
const SUMMED_BYTES = 12

/** Offsets of removed records, and the times of their removal in epoch milliseconds. */
export type Holes = ReadonlyMap<number, number>

export async function appendHoles(
  folder: PackFolder,
  pack: number,
  salt: Uint8Array,
  offsets: readonly number[],
  at: number,
): Promise<void> {
  const entries = Buffer.alloc(offsets.length * ENTRY_BYTES)
  const seed = crc32(salt)
  for (const [index, offset] of offsets.entries()) {
    const entry = entries.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES)
    entry.writeUIntBE(offset, 0, 6)
    entry.writeUIntBE(at, 6, 6)
    entry.writeUInt32BE(crc32(entry.subarray(0, SUMMED_BYTES), seed), SUMMED_BYTES)
  }
  const file = await folder.disk.open(folder.holesPath(pack), 'append')
  try {
    const { size } = await file.stat()
    // Overwrites an incomplete entry, which would shift all later ones.
    await file.write([entries], size - (size % ENTRY_BYTES))
  } finally {
    await file.close()
  }
}

export async function readHoles(folder: PackFolder, pack: number, salt: Uint8Array): Promise<Holes> {
  const entries = await readNotes(folder, pack)
  const holes = new Map<number, number>()
  const seed = crc32(salt)
  for (let from = 0; from + ENTRY_BYTES <= entries.length; from += ENTRY_BYTES) {
    const entry = entries.subarray(from, from + ENTRY_BYTES)
    if (crc32(entry.subarray(0, SUMMED_BYTES), seed) !== entry.readUInt32BE(SUMMED_BYTES)) continue
    holes.set(entry.readUIntBE(0, 6), entry.readUIntBE(6, 6))
  }
  return holes
}

async function readNotes(folder: PackFolder, pack: number): Promise<Buffer> {
  try {
    const file = await folder.disk.open(folder.holesPath(pack), 'read')
    try {
      const buffer = Buffer.alloc((await file.stat()).size)
      return buffer.subarray(0, await file.read(buffer, 0))
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isAbsent(error)) return Buffer.alloc(0)
    throw error
  }
}
