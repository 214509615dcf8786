/**
 * Finds the records of a pack. A power failure can leave only the last batch incomplete, since each batch is synced before the next one
 * begins. Incomplete records of the last batch were never acknowledged, and are ignored. An incomplete record elsewhere is damage.
 */
import type { DiskFile } from './disk.ts'
import {
  checkOf,
  chunksMatch,
  decodeFileHeader,
  decodeRecordHeader,
  FILE_HEADER_BYTES,
  headerBytes,
  type PackLocation,
  peekLength,
  RECORD_HEADER_BYTES,
  type RecordHeader,
  recordBytes,
  saltOf,
} from './pack-format.ts'

/** More than PACK_SYNC_READ_MAX_BYTES, so that packs are read in the thread pool and do not block the event loop. */
const WINDOW_BYTES = 524_288

export interface PackRecord {
  readonly at: PackLocation
  readonly batch: number
  /** Epoch milliseconds. */
  readonly writtenAt: number
}

export interface PackScan {
  /** null: the pack is unreadable, and there are no records. */
  readonly salt: Uint8Array | null
  readonly records: readonly PackRecord[]
  /** Octets of the file. */
  readonly size: number
  /** Whether the file ends with a complete record, so that more can be appended. */
  readonly clean: boolean
  /** Whether some octets may have been an acknowledged blob that cannot be read any more. */
  readonly damaged: boolean
}

/** @param until octets to scan; a writer may be writing after them */
export async function scanPack(file: DiskFile, pack: number, until = Number.POSITIVE_INFINITY): Promise<PackScan> {
  const size = Math.min((await file.stat()).size, until)
  const salt = await readSalt(file, size)
  if (!salt) return { salt, records: [], size, clean: false, damaged: size > FILE_HEADER_BYTES }
  const { records, gaps } = await findRecords(file, pack, salt, size)
  const lastBatch = records.at(-1)?.batch ?? 0
  const complete: PackRecord[] = []
  for (const record of records) {
    if (record.batch !== lastBatch || (await isComplete(file, record.at))) complete.push(record)
  }
  return {
    salt,
    records: complete,
    size,
    clean: gaps.length === 0 && complete.length === records.length,
    damaged: gaps.some((gap) => gap < lastBatch),
  }
}

/** The salt from the header of the file or, if that is damaged, from the first record. */
export async function readSalt(file: DiskFile, size: number): Promise<Uint8Array | null> {
  const head = Buffer.alloc(FILE_HEADER_BYTES + RECORD_HEADER_BYTES)
  const length = await file.read(head, 0)
  const salt = decodeFileHeader(head.subarray(0, length))
  if (salt || length < head.length) return salt
  const claimed = saltOf(head.subarray(FILE_HEADER_BYTES))
  return (await new HeaderReader(file, claimed, size).read(FILE_HEADER_BYTES)) && claimed
}

async function findRecords(file: DiskFile, pack: number, salt: Uint8Array, size: number) {
  const reader = new HeaderReader(file, salt, size)
  const records: PackRecord[] = []
  /** Offsets at which no record begins. */
  const gaps: number[] = []
  let offset = FILE_HEADER_BYTES
  while (offset < size) {
    const header = await reader.read(offset)
    if (header) {
      const { length, batch, writtenAt } = header
      records.push({ at: { pack, offset, length, check: checkOf(header.hash) }, batch, writtenAt })
      offset += recordBytes(length)
    } else {
      gaps.push(offset)
      offset = await findSalt(file, salt, offset + 1, size)
    }
  }
  return { records, gaps }
}

class HeaderReader {
  readonly #file: DiskFile
  readonly #salt: Uint8Array
  readonly #size: number
  readonly #window = Buffer.alloc(WINDOW_BYTES)
  #start = 0
  #filled = 0

  constructor(file: DiskFile, salt: Uint8Array, size: number) {
    this.#file = file
    this.#salt = salt
    this.#size = size
  }

  /** The header at `offset`; null: no record begins there that ends within the file. */
  async read(offset: number): Promise<RecordHeader | null> {
    const length = peekLength(await this.#octets(offset, RECORD_HEADER_BYTES), this.#salt)
    if (length === null || offset + recordBytes(length) > this.#size) return null
    return decodeRecordHeader(await this.#octets(offset, headerBytes(length)))
  }

  async #octets(offset: number, length: number): Promise<Buffer> {
    if (length > WINDOW_BYTES) {
      const buffer = Buffer.alloc(length)
      return buffer.subarray(0, await this.#file.read(buffer, offset))
    }
    if (offset < this.#start || offset + length > this.#start + this.#filled) {
      this.#start = offset
      this.#filled = await this.#file.read(this.#window, offset)
    }
    return this.#window.subarray(offset - this.#start, Math.min(offset - this.#start + length, this.#filled))
  }
}

/** Offset of the next salt at or after `from`; `size`: there is none. */
async function findSalt(file: DiskFile, salt: Uint8Array, from: number, size: number): Promise<number> {
  const buffer = Buffer.alloc(WINDOW_BYTES)
  // Blocks overlap, so that a salt on their border is found.
  for (let start = from; start < size; start += WINDOW_BYTES - salt.length + 1) {
    const length = await file.read(buffer, start)
    const found = buffer.subarray(0, length).indexOf(salt)
    if (found >= 0) return Math.min(start + found, size)
  }
  return size
}

async function isComplete(file: DiskFile, at: PackLocation): Promise<boolean> {
  const record = Buffer.alloc(recordBytes(at.length))
  await file.read(record, at.offset)
  const head = headerBytes(at.length)
  const header = decodeRecordHeader(record.subarray(0, head))
  return header !== null && chunksMatch(record.subarray(head), 0, header.sums)
}
