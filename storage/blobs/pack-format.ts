/**
 * The format of a pack. All numbers are big-endian.
 *
 *   file header, 32:   'posthouse-pack-1', salt 8, CRC-32 of these 24, zeros 4
 *   record:            header 64, chunk sums (CRC-32 of every 16 KiB of the blob), the blob
 *   record header, 64: salt 8, CRC-32 of salt and header and sums, batch 6, written at 6, length 6, SHA-256 32, zeros 2
 *
 * The salt is random and different in every file. Searching for it finds the next record after damage, and neither a message that
 * contains a pack nor a reused disk block can be taken for a record. `batch` is the offset of the first record of the same write, which
 * one sync covers. With chunk sums, a range of a blob can be checked without reading all of it.
 */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { BlobLocation, NewBlob } from '../blob-store.ts'

export const FILE_HEADER_BYTES = 32
export const RECORD_HEADER_BYTES = 64
export const CHUNK_BYTES = 16_384

const MAGIC = Buffer.from('posthouse-pack-1', 'latin1')
const SALT_BYTES = 8
const SUMMED_FROM = SALT_BYTES + 4

export interface PackLocation {
  readonly pack: number
  /** Start of the record in the file. */
  readonly offset: number
  /** Octets of the blob. */
  readonly length: number
  /** The first 8 octets of the hash in hex, so that a location of another time or folder does not lead to other octets. */
  readonly check: string
}

export interface RecordHeader {
  readonly batch: number
  readonly writtenAt: number
  readonly length: number
  readonly hash: Uint8Array
  readonly sums: Uint8Array
}

export function formatLocation(at: PackLocation): BlobLocation {
  return `pack:${at.pack}:${at.offset}:${at.length}:${at.check}`
}

const LOCATION = /^pack:([1-9]\d{0,14}):(\d{1,15}):(\d{1,15}):([0-9a-f]{16})$/

export function parseLocation(location: BlobLocation): PackLocation | null {
  const match = LOCATION.exec(location)
  if (!match) return null
  return { pack: Number(match[1]), offset: Number(match[2]), length: Number(match[3]), check: match[4]! }
}

export function checkOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, 8).toString('hex')
}

/** Octets of header and sums before a blob of `length` octets. */
export function headerBytes(length: number): number {
  return RECORD_HEADER_BYTES + 4 * Math.ceil(length / CHUNK_BYTES)
}

export function recordBytes(length: number): number {
  return headerBytes(length) + length
}

export function newSalt(): Uint8Array {
  return randomBytes(SALT_BYTES)
}

export function encodeFileHeader(salt: Uint8Array): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES)
  MAGIC.copy(header)
  header.set(salt, MAGIC.length)
  header.writeUInt32BE(crc32(header.subarray(0, 24)), 24)
  return header
}

/** The salt of a pack; null: the header is invalid. */
export function decodeFileHeader(header: Buffer): Uint8Array | null {
  if (header.length < FILE_HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return null
  if (crc32(header.subarray(0, 24)) !== header.readUInt32BE(24)) return null
  return Uint8Array.from(header.subarray(16, 24))
}

export function encodeRecordHeader(salt: Uint8Array, blob: NewBlob, batch: number, writtenAt: number): Buffer {
  const { bytes, hash } = blob
  const header = Buffer.alloc(headerBytes(bytes.length))
  header.set(salt)
  header.writeUIntBE(batch, 12, 6)
  header.writeUIntBE(writtenAt, 18, 6)
  header.writeUIntBE(bytes.length, 24, 6)
  header.set(hash, 30)
  for (let from = 0, at = RECORD_HEADER_BYTES; from < bytes.length; from += CHUNK_BYTES, at += 4) {
    header.writeUInt32BE(crc32(bytes.subarray(from, from + CHUNK_BYTES)), at)
  }
  header.writeUInt32BE(crc32(header.subarray(SUMMED_FROM), crc32(salt)), SALT_BYTES)
  return header
}

/** The blob's length in a header whose sums are not checked yet; null: the header does not begin with `salt`. */
export function peekLength(header: Buffer, salt: Uint8Array): number | null {
  if (header.length < RECORD_HEADER_BYTES || header.compare(salt, 0, SALT_BYTES, 0, SALT_BYTES) !== 0) return null
  return header.readUIntBE(24, 6)
}

/** The salt in the header of a record. */
export function saltOf(header: Buffer): Uint8Array {
  return Uint8Array.from(header.subarray(0, SALT_BYTES))
}

/** @param header exactly the header and sums. @returns null: they differ from what was written */
export function decodeRecordHeader(header: Buffer): RecordHeader | null {
  if (header.length < RECORD_HEADER_BYTES) return null
  const length = header.readUIntBE(24, 6)
  if (header.length !== headerBytes(length)) return null
  if (crc32(header.subarray(SUMMED_FROM), crc32(header.subarray(0, SALT_BYTES))) !== header.readUInt32BE(SALT_BYTES))
    return null
  return {
    batch: header.readUIntBE(12, 6),
    writtenAt: header.readUIntBE(18, 6),
    length,
    hash: header.subarray(30, 62),
    sums: header.subarray(RECORD_HEADER_BYTES),
  }
}

/** Whether `bytes`, which begin with chunk `firstChunk` of the blob, match the sums. */
export function chunksMatch(bytes: Uint8Array, firstChunk: number, sums: Uint8Array): boolean {
  const expected = Buffer.from(sums.buffer, sums.byteOffset, sums.length)
  for (let from = 0, at = firstChunk * 4; from < bytes.length; from += CHUNK_BYTES, at += 4) {
    if (crc32(bytes.subarray(from, from + CHUNK_BYTES)) !== expected.readUInt32BE(at)) return false
  }
  return true
}
