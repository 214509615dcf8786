/** Reads a blob, or a range of it, from a pack and checks it against its sums. */
import { TURN_BYTES, WORK_HERE_MAX_BYTES } from '../../server/base/limits.ts'
import type { ByteRange } from '../blob-store.ts'
import type { DiskFile } from './disk.ts'
import { clampRange, corrupt } from './failures.ts'
import {
  CHUNK_BYTES,
  checkOf,
  chunksMatch,
  decodeRecordHeader,
  formatLocation,
  headerBytes,
  type PackLocation,
  type RecordHeader,
  recordBytes,
} from './pack-format.ts'

/** Up to this many unneeded octets are read along, since a second read would cost more. */
const READ_ALONG_BYTES = 65_536

/**
 * Large octets have their memory to themselves, so that it can be transferred to another thread.
 * @throws Failure 'corrupt', RangeError
 */
export async function readBlob(file: DiskFile, at: PackLocation, range?: ByteRange): Promise<Uint8Array> {
  const { start, end } = clampRange(range, at.length)
  await requireInside(file, at)
  return end - start > WORK_HERE_MAX_BYTES ? readLarge(file, at, start, end) : readSmall(file, at, start, end)
}

async function readSmall(file: DiskFile, at: PackLocation, start: number, end: number): Promise<Uint8Array> {
  const head = headerBytes(at.length)
  // Each sum covers a whole chunk, so whole chunks are read.
  const from = start - (start % CHUNK_BYTES)
  const to = Math.min(at.length, Math.ceil(end / CHUNK_BYTES) * CHUNK_BYTES)
  const inOne = from <= READ_ALONG_BYTES
  const first = await readExactly(file, at, at.offset, inOne ? head + to : head)
  const header = checkedHeader(first.subarray(0, head), at)
  const bytes = inOne ? first.subarray(head + from) : await readExactly(file, at, at.offset + head + from, to - from)
  if (!chunksMatch(bytes, from / CHUNK_BYTES, header.sums)) throw corrupt(formatLocation(at), 'its octets have changed')
  const wanted = bytes.subarray(start - from, end - from)
  // A small view would keep a large buffer alive.
  return wanted.length * 2 < wanted.buffer.byteLength ? Uint8Array.from(wanted) : wanted
}

/** Read and checked in slices, which leave the event loop to others. */
async function readLarge(file: DiskFile, at: PackLocation, start: number, end: number): Promise<Uint8Array> {
  const head = headerBytes(at.length)
  const { sums } = checkedHeader(await readExactly(file, at, at.offset, head), at)
  const wanted = Buffer.allocUnsafeSlow(end - start)
  const last = Math.min(at.length, Math.ceil(end / CHUNK_BYTES) * CHUNK_BYTES)
  for (let from = start - (start % CHUNK_BYTES); from < end; from += TURN_BYTES) {
    const to = Math.min(last, from + TURN_BYTES)
    const isWanted = from >= start && to <= end
    const slice = isWanted ? wanted.subarray(from - start, to - start) : Buffer.allocUnsafeSlow(to - from)
    await fill(file, at, slice, at.offset + head + from)
    if (!chunksMatch(slice, from / CHUNK_BYTES, sums)) throw corrupt(formatLocation(at), 'its octets have changed')
    if (!isWanted) wanted.set(slice.subarray(Math.max(0, start - from), end - from), Math.max(0, from - start))
  }
  return wanted
}

/** The header of the record at `at`. @throws Failure 'corrupt' */
export async function readHeader(file: DiskFile, at: PackLocation): Promise<RecordHeader> {
  await requireInside(file, at)
  return checkedHeader(await readExactly(file, at, at.offset, headerBytes(at.length)), at)
}

async function requireInside(file: DiskFile, at: PackLocation): Promise<void> {
  const { size } = await file.stat()
  if (at.offset + recordBytes(at.length) > size) throw corrupt(formatLocation(at), 'the pack ends before it')
}

function checkedHeader(octets: Buffer, at: PackLocation): RecordHeader {
  const header = decodeRecordHeader(octets)
  if (!header) throw corrupt(formatLocation(at), 'its header has changed')
  if (header.length !== at.length || checkOf(header.hash) !== at.check) {
    throw corrupt(formatLocation(at), 'another blob is there')
  }
  return header
}

async function readExactly(file: DiskFile, at: PackLocation, position: number, length: number): Promise<Buffer> {
  // Not from the shared pool: the result may be transferred to another thread with its whole buffer.
  const buffer = Buffer.allocUnsafeSlow(length)
  await fill(file, at, buffer, position)
  return buffer
}

async function fill(file: DiskFile, at: PackLocation, buffer: Buffer, position: number): Promise<void> {
  if ((await file.read(buffer, position)) < buffer.length) throw corrupt(formatLocation(at), 'the pack ends before it')
}
