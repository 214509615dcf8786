/** From the octets of a part to its content: transfer decoding (RFC 2045 6) and the text of RFC 8621 4.1.4 bodyValues. */
import { Buffer, isUtf8 } from 'node:buffer'
import { asBuffer, decodeCharset } from './charset.ts'
import { hexDigit } from './encoded-words.ts'

/** What decoding needs to know of a part; BodyPart has it. */
export interface EncodedContent {
  readonly bodyStart: number
  readonly bodyEnd: number
  /** Content-Transfer-Encoding, lower-case. */
  readonly encoding: string
}

export interface TextContent extends EncodedContent {
  readonly type: string
  readonly charset: string | null
}

/** RFC 8621 4.1.4 EmailBodyValue. */
export interface BodyValue {
  readonly value: string
  readonly isEncodingProblem: boolean
  readonly isTruncated: boolean
}

const NOT_BASE64 = 0xff
const PADDING = 0xfe
const BLANK = 0xfd
const BASE64_VALUES = base64Values()

function base64Values(): Uint8Array {
  const values = new Uint8Array(256).fill(NOT_BASE64)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  for (let index = 0; index < 64; index++) values[alphabet.charCodeAt(index)] = index
  for (const blank of [0x20, 0x09, 0x0d, 0x0a]) values[blank] = BLANK
  values[0x3d] = PADDING
  return values
}

/** RFC 2045 6: encodings with a meaning. RFC 8621 4.1.4 (blobId): any other is treated as none. */
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

/**
 * The content of a part. `bytes` is the message, or a range of it that begins at octet `offset` and holds the body. For
 * identity encodings the result shares memory with `bytes`.
 */
export function decodePartBytes(bytes: Uint8Array, part: EncodedContent, offset = 0): Buffer {
  return decodeTransfer(asBuffer(bytes).subarray(part.bodyStart - offset, part.bodyEnd - offset), part.encoding)
}

/** Octets that `decodePartBytes` would give, without making them. */
export function decodedSize(bytes: Buffer, start: number, end: number, encoding: string): number {
  if (encoding === 'base64') return scanBase64(bytes, start, end).length
  if (encoding === 'quoted-printable') return quotedPrintable(bytes, start, end, null)
  return end - start
}

/** Undoes a Content-Transfer-Encoding; total. */
export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return decodeBase64(bytes)
  if (encoding === 'quoted-printable') {
    const out = Buffer.allocUnsafe(bytes.length)
    return out.subarray(0, quotedPrintable(bytes, 0, bytes.length, out))
  }
  return bytes
}

/** Decoded length, and whether the platform's decoder agrees with RFC 2045 6.8 on it: no junk, padding only at the end. */
function scanBase64(bytes: Buffer, start: number, end: number): { length: number; clean: boolean } {
  let length = 0
  let quantum = 0
  let clean = true
  let padded = false
  for (let index = start; index < end; index++) {
    const value = BASE64_VALUES[bytes[index] as number] as number
    if (value < 64) {
      quantum++
      if (padded) clean = false
    } else if (value === PADDING) {
      padded = true
      length += (quantum * 3) >> 2
      quantum = 0
    } else if (value === NOT_BASE64) {
      clean = false
    }
    if (quantum === 4) {
      length += 3
      quantum = 0
    }
  }
  return { length: length + ((quantum * 3) >> 2), clean }
}

function decodeBase64(bytes: Buffer): Buffer {
  const { length, clean } = scanBase64(bytes, 0, bytes.length)
  if (clean) {
    const out = Buffer.from(bytes.toString('latin1'), 'base64')
    if (out.length === length) return out
  }
  const out = Buffer.allocUnsafe(length)
  let written = 0
  let bits = 0
  let quantum = 0
  for (let index = 0; index < bytes.length; index++) {
    const value = BASE64_VALUES[bytes[index] as number] as number
    if (value < 64) {
      bits = (bits << 6) | value
      quantum++
    }
    // RFC 2045 6.8: characters outside the alphabet are ignored. Padding ends a quantum; segments may follow one another.
    if (quantum === 4 || (value === PADDING && quantum > 0)) {
      const octets = (quantum * 3) >> 2
      const whole = bits << (6 * (4 - quantum))
      if (octets > 0) out[written++] = whole >> 16
      if (octets > 1) out[written++] = whole >> 8
      if (octets > 2) out[written++] = whole
      bits = 0
      quantum = 0
    }
  }
  const whole = bits << (6 * (4 - quantum))
  if (quantum > 1) out[written++] = whole >> 16
  if (quantum > 2) out[written++] = whole >> 8
  return out.subarray(0, written)
}

/** RFC 2045 6.7, leniently. Writes to `out` when given; returns the number of octets. */
function quotedPrintable(bytes: Buffer, start: number, end: number, out: Buffer | null): number {
  let length = 0
  let index = start
  while (index < end) {
    const code = bytes[index] as number
    if (code === 0x3d) {
      const high = index + 2 < end ? hexDigit(bytes[index + 1] as number) : -1
      const low = high < 0 ? -1 : hexDigit(bytes[index + 2] as number)
      if (low >= 0) {
        if (out) out[length] = high * 16 + low
        length++
        index += 3
        continue
      }
      const blanks = skipBlanks(bytes, index + 1, end)
      if (blanks >= end || bytes[blanks] === 0x0a || bytes[blanks] === 0x0d) {
        // Rule 5: a soft line break, and blanks that transport added behind its `=`.
        index = blanks >= end ? end : bytes[blanks] === 0x0d && bytes[blanks + 1] === 0x0a ? blanks + 2 : blanks + 1
        continue
      }
    } else if (code === 0x20 || code === 0x09) {
      const blanks = skipBlanks(bytes, index, end)
      // Rule 3: white space at the end of a line was added by transport.
      const stays = blanks < end && bytes[blanks] !== 0x0a && bytes[blanks] !== 0x0d
      if (stays && out) bytes.copy(out, length, index, blanks)
      if (stays) length += blanks - index
      index = blanks
      continue
    }
    if (out) out[length] = code
    length++
    index++
  }
  return length
}

function skipBlanks(bytes: Buffer, from: number, end: number): number {
  let index = from
  while (index < end && (bytes[index] === 0x20 || bytes[index] === 0x09)) index++
  return index
}

/**
 * The text of a part, RFC 8621 4.1.4 (EmailBodyValue): transfer and charset decoding, CRLF to LF. With `maxBytes` > 0 the
 * value has at most that many octets of UTF-8 (4.2), cut between code points and, for HTML, not inside a tag. `offset` as in
 * `decodePartBytes`.
 */
export function decodePartText(
  bytes: Uint8Array,
  part: TextContent,
  options: { readonly maxBytes?: number; readonly offset?: number } = {},
): BodyValue {
  const maxBytes = options.maxBytes ?? 0
  const offset = options.offset ?? 0
  const body = asBuffer(bytes).subarray(part.bodyStart - offset, part.bodyEnd - offset)
  if (maxBytes > 0) {
    const enough = sourceBytesFor(maxBytes)
    if (body.length > enough) {
      const head = toBodyText(body.subarray(0, enough), part, true)
      if (Buffer.byteLength(head.text) > maxBytes) return truncated(head, part.type, maxBytes)
    }
  }
  const whole = toBodyText(body, part, false)
  if (maxBytes > 0 && Buffer.byteLength(whole.text) > maxBytes) return truncated(whole, part.type, maxBytes)
  return { value: whole.text, isEncodingProblem: whole.problem, isTruncated: false }
}

/** Octets of a body that surely fill `maxBytes` of UTF-8 for usual content; when they do not, the whole is decoded. */
function sourceBytesFor(maxBytes: number): number {
  return maxBytes * 4 + 1024
}

function truncated(body: { text: string; problem: boolean }, type: string, maxBytes: number): BodyValue {
  let value = cutUtf8(body.text, maxBytes)
  if (type === 'text/html') value = cutBeforeOpenTag(value)
  return { value, isEncodingProblem: body.problem, isTruncated: true }
}

function toBodyText(body: Buffer, part: TextContent, isHead: boolean): { text: string; problem: boolean } {
  let content = decodeTransfer(body, part.encoding)
  if (isHead) content = dropPartialUtf8(content)
  const decoded = decodeCharset(content, part.charset)
  let text = decoded.text
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1)
  // RFC 8621 4.1.4: any CRLF is replaced with a single LF.
  if (text.includes('\r\n')) text = text.replaceAll('\r\n', '\n')
  return { text, problem: decoded.problem || !isKnownEncoding(part.encoding) }
}

/** A head of well-formed UTF-8 may end inside a character; that is no encoding problem. */
function dropPartialUtf8(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return bytes
  for (let drop = 1; drop <= 3 && drop < bytes.length; drop++) {
    const head = bytes.subarray(0, bytes.length - drop)
    if (isUtf8(head)) return head
  }
  return bytes
}

/** The longest head of `text` with at most `maxBytes` octets of UTF-8, ending between code points. */
export function cutUtf8(text: string, maxBytes: number): string {
  // A UTF-16 unit is at most three octets, so this many units fit whatever they are.
  let units = Math.min(text.length, Math.floor(maxBytes / 3))
  if (units < text.length && isHighSurrogate(text.charCodeAt(units - 1))) units--
  let size = Buffer.byteLength(text.slice(0, units))
  while (units < text.length) {
    const point = text.codePointAt(units) as number
    const octets = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (size + octets > maxBytes) break
    size += octets
    units += point > 0xffff ? 2 : 1
  }
  return text.slice(0, units)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

// RFC 8621 4.2: the server SHOULD NOT truncate inside an HTML tag.
function cutBeforeOpenTag(html: string): string {
  const open = html.lastIndexOf('<')
  return open >= 0 && !html.includes('>', open) && /^<(?:[a-z/!?]|$)/i.test(html.slice(open, open + 2))
    ? html.slice(0, open)
    : html
}
