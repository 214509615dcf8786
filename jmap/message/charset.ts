/** Decodes octets in a named charset: TextDecoder if it knows the charset, else libmime (iconv). */
import { Buffer, isAscii, isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import { TextDecoder } from 'node:util'
import { onDemand } from '../../server/base/on-demand.ts'

/** Its tables take 6 MB, and few messages need them. */
const libmime = onDemand(
  () => createRequire(import.meta.url)('libmime/lib/charset.js') as typeof import('libmime/lib/charset.js'),
)

export interface DecodedText {
  readonly text: string
  /** Malformed sections were found (each became U+FFFD), or the charset is unknown and was guessed. */
  readonly problem: boolean
}

type Decoder =
  | { readonly kind: 'ascii' | 'utf8' | 'unknown' }
  | { readonly kind: 'native'; readonly decoder: TextDecoder; readonly ascii: boolean }
  | { readonly kind: 'libmime'; readonly name: string }

const CACHE_MAX_ENTRIES = 256
const cache = new Map<string, Decoder>()
/** Names that one task of the event loop looks up in vain: a lookup takes 30 us, at first twice that, and a header has room for 20,000 names. */
const UNKNOWN_MAX_NAMES = 200
/** They are known to be unknown until the task ends. */
const unknown = new Set<string>()
/** Longer than any registered name with white space around it. */
const NAME_MAX_CHARS = 64
const UNKNOWN: Decoder = { kind: 'unknown' }
const windows1252 = new TextDecoder('windows-1252')
const OCTETS: ReadonlyMap<string, number> = new Map(
  Array.from(windows1252.decode(Uint8Array.from({ length: 128 }, (_, at) => 0x80 + at)), (char, at) => [
    char,
    0x80 + at,
  ]),
)
const eucJp = new TextDecoder('euc-jp')
const shiftJis = new TextDecoder('shift_jis')

/** Charsets in which octets below 0x80 are not always ASCII. */
const NOT_ASCII_SUPERSET = /^(?:utf-?16|utf-?32|ucs|iso-?2022|csiso2022|hz|unicode|ebcdic|ibm0|cp0)/i

/** The octets as a Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Whether octets in this charset (any registered name or usual alias) can be decoded. */
export function isKnownCharset(charset: string): boolean {
  return decoderOf(charset).kind !== 'unknown'
}

/** Whether a charset is UTF-8 by one of its names. */
export function isUtf8Charset(charset: string): boolean {
  return decoderOf(charset).kind === 'utf8'
}

/** The octets of this text in windows-1252; null if it has other characters. */
export function windows1252Octets(text: string): Buffer | null {
  const octets = Buffer.alloc(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const octet = code < 0x80 ? code : OCTETS.get(text[index]!)
    if (octet === undefined) return null
    octets[index] = octet
  }
  return octets
}

/**
 * Decodes octets. RFC 8621 4.1.4 (bodyValues): best effort, U+FFFD for malformed sections. `charset` null or us-ascii with
 * eight-bit octets is guessed: UTF-8 if it is well-formed UTF-8, else windows-1252, which cannot fail.
 */
export function decodeCharset(input: Uint8Array, charset: string | null): DecodedText {
  const bytes = asBuffer(input)
  const decoder = decoderOf(charset ?? 'us-ascii')
  switch (decoder.kind) {
    case 'ascii':
    case 'unknown':
      return guess(bytes, decoder.kind === 'unknown')
    case 'utf8':
      if (isAscii(bytes)) return { text: bytes.toString('latin1'), problem: false }
      return { text: bytes.toString('utf8'), problem: !isUtf8(bytes) }
    case 'native': {
      if (decoder.ascii && isAscii(bytes)) return { text: bytes.toString('latin1'), problem: false }
      if (decoder.decoder.encoding === 'iso-2022-jp') return decodeJis(decoder.decoder, bytes)
      return unlessUtf8(decoder.decoder.decode(bytes), bytes)
    }
    case 'libmime': {
      // iconv does not replace halves of surrogate pairs.
      return unlessUtf8(libmime().decode(bytes, decoder.name).toWellFormed(), bytes)
    }
  }
}

/** RFC 8621 4.1.4 lets servers doubt a charset: text that is malformed in it but well-formed UTF-8 is decoded as UTF-8. */
function unlessUtf8(text: string, bytes: Buffer): DecodedText {
  if (!text.includes('\ufffd')) return { text, problem: false }
  return { text: isUtf8(bytes) ? bytes.toString('utf8') : text, problem: true }
}

/** ISO-2022-JP has no eight-bit octets: text with them is in another Japanese charset. */
function decodeJis(decoder: TextDecoder, bytes: Buffer): DecodedText {
  const decoded = unlessUtf8(decoder.decode(withoutEmptyRuns(bytes)), bytes)
  if (!decoded.problem || isUtf8(bytes)) return decoded
  const others = [eucJp, shiftJis].map((other) => other.decode(bytes))
  return { text: others.find((text) => !text.includes('\ufffd')) ?? decoded.text, problem: true }
}

/**
 * Removes escape sequences that another follows directly. Joined encoded-words contain them, and some mailers write them. They have no
 * effect, but TextDecoder (Encoding Standard 12.2.1) treats them as errors.
 */
function withoutEmptyRuns(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  return Buffer.from(text.replaceAll(/\x1b(?:\([BJI]|\$[@B])(?=\x1b[($])/g, ''), 'latin1')
}

function guess(bytes: Buffer, unknown: boolean): DecodedText {
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), problem: unknown }
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), problem: unknown }
  return { text: windows1252.decode(bytes), problem: true }
}

function decoderOf(charset: string): Decoder {
  const known = cache.get(charset)
  if (known) return known
  if (charset.length > NAME_MAX_CHARS || unknown.has(charset) || unknown.size >= UNKNOWN_MAX_NAMES) return UNKNOWN
  const decoder = findDecoder(charset.trim().toLowerCase())
  // Names come from mail: unknown ones are not kept, and spellings of known ones only up to a limit.
  if (decoder.kind === 'unknown') noteUnknown(charset)
  else if (cache.size < CACHE_MAX_ENTRIES) cache.set(charset, decoder)
  return decoder
}

function noteUnknown(charset: string): void {
  if (unknown.size === 0) queueMicrotask(() => unknown.clear())
  unknown.add(charset)
}

function findDecoder(name: string): Decoder {
  if (name === '' || name === 'us-ascii' || name === 'ascii' || name === 'ansi_x3.4-1968') return { kind: 'ascii' }
  if (name === 'utf-8' || name === 'utf8' || name === 'unicode-1-1-utf-8') return { kind: 'utf8' }
  // RFC 2781 4.3: utf-16 without a byte order has a BOM or is big-endian; TextDecoder reads it as little-endian.
  const own = name === 'utf-16' ? null : nativeDecoder(name)
  if (own) return native(own)
  const canonical = libmime().normalizeCharset(name)
  if (canonical.toLowerCase() === 'utf-8') return { kind: 'utf8' }
  const decoder = name === 'utf-16' ? null : nativeDecoder(canonical)
  if (decoder) return native(decoder)
  // libmime refuses UTF-7, which hides markup from filters (and the transfer encodings that iconv calls charsets).
  return libmime().createDecodeStream(canonical).supported ? { kind: 'libmime', name: canonical } : UNKNOWN
}

function native(decoder: TextDecoder): Decoder {
  return { kind: 'native', decoder, ascii: !NOT_ASCII_SUPERSET.test(decoder.encoding) }
}

function nativeDecoder(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}
