/** Decodes Content-Transfer-Encodings: RFC 2045 6, leniently, in linear time. */
import { Buffer } from 'node:buffer'
import { hexDigit } from './encoded-words.ts'

const NOT_BASE64 = 0xff
const PADDING = 0xfe
const BLANK = 0xfd
/** With one junk character per this many of the alphabet, the text is not base64. */
const JUNK_RATIO = 8
const SPACE = 0x20
const SLICE_BYTES = 1_048_576
const BASE64_VALUES = base64Values()

function base64Values(): Uint8Array {
  const values = new Uint8Array(256).fill(NOT_BASE64)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  for (let index = 0; index < 64; index++) values[alphabet.charCodeAt(index)] = index
  for (const blank of [0x20, 0x09, 0x0d, 0x0a]) values[blank] = BLANK
  values[0x3d] = PADDING
  return values
}

/** RFC 2045 6: known encodings. RFC 8621 4.1.4 (blobId): any other counts as none. */
export function isKnownEncoding(encoding: string): boolean {
  switch (encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
    case 'base64':
    case 'quoted-printable':
      return true
    default:
      return false
  }
}

/** Number of octets that `decodeTransfer` would return for this range, without decoding. */
export function decodedSize(bytes: Buffer, start: number, end: number, encoding: string): number {
  if (encoding === 'base64') return scanBase64(bytes, start, end)?.length ?? end - start
  if (encoding === 'quoted-printable') return quotedPrintable(bytes, start, end, null)
  return end - start
}

/** Decodes a Content-Transfer-Encoding; total. Returns the same array for identity, and for a body that is not in its encoding. */
export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return decodeBase64(bytes)
  if (encoding === 'quoted-printable') {
    // Large content has its memory to itself, so that it can be transferred and freed.
    const isLarge = bytes.length > SLICE_BYTES
    const out = Buffer.allocUnsafe(isLarge ? quotedPrintable(bytes, 0, bytes.length, null) : bytes.length)
    return out.subarray(0, quotedPrintable(bytes, 0, bytes.length, out))
  }
  return bytes
}

interface Base64Scan {
  /** Decoded octets. */
  readonly length: number
  /** Where decoding stops. */
  readonly end: number
  /** No junk, and padding only at the end: the platform's decoder can decode it. */
  readonly clean: boolean
}

/**
 * RFC 2045 6.8: characters outside the alphabet are ignored. Padding ends a quantum, and whole segments may follow one another; text
 * after padding that is not a segment (such as a list's footer) is left out. Null: too much is junk, so this is not base64 and the body
 * is shown as it is.
 */
function scanBase64(bytes: Buffer, start: number, end: number): Base64Scan | null {
  let length = 0
  /** Characters of the alphabet since the start or the last padding. */
  let characters = 0
  let paddedEnd = -1
  let junk = 0
  let clean = true
  for (let index = start; index < end; ) {
    const run = index
    while (index < end && (BASE64_VALUES[bytes[index] as number] as number) < 64) index++
    characters += index - run
    if (index >= end) break
    const value = BASE64_VALUES[bytes[index] as number]
    // Spaces are harmless, but text has many.
    if (bytes[index++] === SPACE) junk++
    if (value === PADDING) {
      if (paddedEnd >= 0 && characters > 0) clean = false
      length += octetsOf(characters)
      characters = 0
      paddedEnd = index
    } else if (value === NOT_BASE64) {
      if (paddedEnd >= 0) return isMostlyJunk(junk, length) ? null : { length, end: paddedEnd, clean: false }
      clean = false
      junk++
    }
  }
  if (isMostlyJunk(junk, length + octetsOf(characters))) return null
  if (paddedEnd >= 0 && characters > 0) {
    clean = false
    if (characters % 4 !== 0) return { length, end: paddedEnd, clean }
  }
  return { length: length + octetsOf(characters), end, clean }
}

function isMostlyJunk(junk: number, octets: number): boolean {
  return junk > 0 && junk * JUNK_RATIO > (octets * 4) / 3
}

function octetsOf(characters: number): number {
  return Math.floor((characters * 3) / 4)
}

/** The same array if it is not base64. */
function decodeBase64(bytes: Buffer): Buffer {
  const scan = scanBase64(bytes, 0, bytes.length)
  if (scan === null) return bytes
  if (scan.clean) {
    const out = decodeClean(bytes, scan.length)
    if (out) return out
  }
  const out = Buffer.allocUnsafe(scan.length)
  let written = 0
  let bits = 0
  let quantum = 0
  for (let index = 0; index < scan.end; index++) {
    const value = BASE64_VALUES[bytes[index] as number] as number
    if (value < 64) {
      bits = (bits << 6) | value
      quantum++
    }
    if (quantum === 4 || (value === PADDING && quantum > 0)) {
      written = writeQuantum(out, written, bits, quantum)
      bits = 0
      quantum = 0
    }
  }
  return out.subarray(0, writeQuantum(out, written, bits, quantum))
}

/** By the platform, in slices of whole quanta: of a large body a string would be in memory beside it. null: not so many octets */
function decodeClean(bytes: Buffer, length: number): Buffer | null {
  if (bytes.length <= SLICE_BYTES) {
    const out = Buffer.from(bytes.toString('latin1'), 'base64')
    return out.length === length ? out : null
  }
  const out = Buffer.allocUnsafeSlow(length)
  let written = 0
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    let characters = 0
    for (; to < bytes.length && (to - from < SLICE_BYTES || characters % 4 !== 0); to++)
      if ((BASE64_VALUES[bytes[to] as number] as number) < 64) characters++
    const text = bytes.toString('latin1', from, to)
    // The last slice by itself: too many octets are noticed.
    written +=
      to < bytes.length ? out.write(text, written, 'base64') : copyTo(out, written, Buffer.from(text, 'base64'))
  }
  return written === length ? out : null
}

/** @returns the number of all octets, also of those that do not fit */
function copyTo(out: Buffer, at: number, octets: Buffer): number {
  octets.copy(out, at)
  return octets.length
}

function writeQuantum(out: Buffer, at: number, bits: number, characters: number): number {
  const octets = (characters * 3) >> 2
  const whole = bits << (6 * (4 - characters))
  if (octets > 0) out[at] = whole >> 16
  if (octets > 1) out[at + 1] = whole >> 8
  if (octets > 2) out[at + 2] = whole
  return at + octets
}

/** RFC 2045 6.7, leniently. Writes to `out` if given; returns the number of octets. */
function quotedPrintable(bytes: Buffer, start: number, end: number, out: Buffer | null): number {
  let length = 0
  /** Octets written since here are literal: trailing white space among them is removed. */
  let literalFrom = 0
  let index = start
  while (index < end) {
    const run = literalEnd(bytes, index, end)
    if (run > index) {
      if (out) copyRun(bytes, index, run, out, length)
      length += run - index
      index = run
      if (index >= end) break
    }
    const code = bytes[index] as number
    if (code === 0x3d) {
      const low = index + 2 < end ? hexDigit(bytes[index + 2] as number) : -1
      const high = low < 0 ? -1 : hexDigit(bytes[index + 1] as number)
      if (high >= 0) {
        if (out) out[length] = high * 16 + low
        length++
        literalFrom = length
        index += 3
        continue
      }
      const after = softBreakEnd(bytes, index + 1, end)
      if (after > 0) {
        literalFrom = length
        index = after
        continue
      }
    } else {
      // Rule 3: white space at the end of a line was added by transport.
      length -= Math.min(blanksBefore(bytes, index, start), length - literalFrom)
    }
    if (out) out[length] = code
    length++
    index++
  }
  return length - Math.min(blanksBefore(bytes, end, start), length - literalFrom)
}

/** Index of the next `=`, CR or LF, or `end`. */
function literalEnd(bytes: Buffer, from: number, end: number): number {
  let index = from
  while (index < end) {
    const code = bytes[index] as number
    if (code <= 0x3d && (code === 0x3d || code === 0x0a || code === 0x0d)) break
    index++
  }
  return index
}

function copyRun(bytes: Buffer, from: number, to: number, out: Buffer, at: number): void {
  // Short runs between escapes are copied here, because a call into the platform costs more.
  if (to - from > 24) bytes.copy(out, at, from, to)
  else for (let index = from, target = at; index < to; index++, target++) out[target] = bytes[index] as number
}

/** Rule 5: index after a soft line break whose `=` is before `from`, with blanks that transport added; or 0. */
function softBreakEnd(bytes: Buffer, from: number, end: number): number {
  const blanks = skipBlanks(bytes, from, end)
  if (blanks >= end) return end
  if (bytes[blanks] === 0x0a) return blanks + 1
  if (bytes[blanks] !== 0x0d) return 0
  return bytes[blanks + 1] === 0x0a ? blanks + 2 : blanks + 1
}

function blanksBefore(bytes: Buffer, index: number, start: number): number {
  let from = index
  while (from > start && (bytes[from - 1] === 0x20 || bytes[from - 1] === 0x09)) from--
  return index - from
}

function skipBlanks(bytes: Buffer, from: number, end: number): number {
  let index = from
  while (index < end && (bytes[index] === 0x20 || bytes[index] === 0x09)) index++
  return index
}
