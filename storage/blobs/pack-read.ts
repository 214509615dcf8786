/** Reads a blob, or a range of it, from a pack and checks it against its sums. */
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

/** @throws Failure 'corrupt', RangeError */
export async function readBlob(file: DiskFile, at: PackLocation, range?: ByteRange): Promise<Uint8Array> {
  const { start, end } = clampRange(range, at.length)
  await requireInside(file, at)
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
  if ((await file.read(buffer, position)) < length) throw corrupt(formatLocation(at), 'the pack ends before it')
  return buffer
}
