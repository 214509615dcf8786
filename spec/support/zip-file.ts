/** Zips for tests, also such as no honest program writes (APPNOTE 4.3). */
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly content: Buffer | string
  /** Octets that the directory declares; by default those of the content. */
  readonly declared?: number
  /** Mode of Unix, such as 0o120777 for a symbolic link. */
  readonly mode?: number
  readonly isEncrypted?: boolean
  /** The entry lies where the one before does. */
  readonly overlaps?: boolean
}

/** @param count of entries that the end of the directory declares (ZIP64); by default none is declared otherwise than it is */
export function zipOf(entries: readonly ZipEntry[], count?: number): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  let before = 0
  for (const { name, content, declared, mode = 0o100644, isEncrypted = false, overlaps = false } of entries) {
    const octets = Buffer.from(content)
    const packed = deflateRawSync(octets)
    const sums = Buffer.alloc(12)
    for (const [at, value] of [crc32(octets), packed.length, declared ?? octets.length].entries())
      sums.writeUInt32LE(value, at * 4)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(isEncrypted ? 1 : 0, 6)
    head.writeUInt16LE(8, 8)
    sums.copy(head, 14)
    head.writeUInt16LE(Buffer.byteLength(name), 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(0x0314, 4)
    entry.writeUInt16LE(isEncrypted ? 1 : 0, 8)
    entry.writeUInt16LE(8, 10)
    sums.copy(entry, 16)
    entry.writeUInt16LE(Buffer.byteLength(name), 28)
    entry.writeUInt32LE(mode * 0x10000, 38)
    entry.writeUInt32LE(overlaps ? before : offset, 42)
    directory.push(entry, Buffer.from(name))
    if (overlaps) continue
    before = offset
    pieces.push(head, Buffer.from(name), packed)
    offset += head.length + Buffer.byteLength(name) + packed.length
  }
  const listed = Buffer.concat(directory)
  return Buffer.concat([...pieces, listed, ...ending(entries.length, listed.length, offset, count)])
}

function ending(entries: number, size: number, offset: number, count: number | undefined): Buffer[] {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  for (const at of [8, 10]) end.writeUInt16LE(count === undefined ? entries : 0xffff, at)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  if (count === undefined) return [end]
  const long = Buffer.alloc(56)
  long.writeUInt32LE(0x06064b50, 0)
  long.writeBigUInt64LE(44n, 4)
  for (const at of [24, 32]) long.writeBigUInt64LE(BigInt(count), at)
  long.writeBigUInt64LE(BigInt(size), 40)
  long.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(offset + size), 8)
  locator.writeUInt32LE(1, 16)
  return [long, locator, end]
}
