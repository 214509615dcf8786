/** Decodes the octets of a part: transfer decoding (RFC 2045 6) and the text of RFC 8621 4.1.4 bodyValues. */
import { Buffer, isUtf8 } from 'node:buffer'
import { asBuffer, decodeCharset } from './charset.ts'
import { openTagStart } from './html-text.ts'
import { decodeTransfer, isKnownEncoding } from './transfer.ts'

/** The properties of a part that decoding reads; BodyPart has them. */
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

/**
 * The content of a part. `bytes` is the message, or a range of it from octet `offset` that holds the body. For identity encodings the
 * result shares memory with `bytes`.
 */
export function decodePartBytes(bytes: Uint8Array, part: EncodedContent, offset = 0): Buffer {
  return decodeTransfer(asBuffer(bytes).subarray(part.bodyStart - offset, part.bodyEnd - offset), part.encoding)
}

/**
 * The beginning of the content of a part, of at most `maxBytes` octets. The rest is not decoded, so what is encoded with much white space
 * gives less.
 */
export function decodePartStart(bytes: Uint8Array, part: EncodedContent, maxBytes: number): Buffer {
  // Quoted-printable writes up to three octets for one.
  const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + maxBytes * 3)
  return decodePartBytes(bytes, { ...part, bodyEnd }).subarray(0, maxBytes)
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
    const enough = sourceBytesFor(maxBytes, part)
    if (body.length > enough) {
      const head = toBodyText(body.subarray(0, enough), part, true)
      // A problem in the first part may only be the cut.
      if (!head.problem && Buffer.byteLength(head.text) > maxBytes) return truncated(head, part.type, maxBytes)
    }
  }
  const whole = toBodyText(body, part, false)
  if (maxBytes > 0 && Buffer.byteLength(whole.text) > maxBytes) return truncated(whole, part.type, maxBytes)
  return { value: whole.text, isEncodingProblem: whole.problem, isTruncated: false }
}

/**
 * The beginning of the text of a part, of at most `maxBytes` octets of UTF-8: what search, rules and reports read. Unlike
 * `decodePartText` it never decodes a large body to its end, so a malformed one may give less. `offset` as in `decodePartBytes`.
 */
export function decodePartHead(bytes: Uint8Array, part: TextContent, maxBytes: number, offset = 0): string {
  const bodyEnd = Math.min(part.bodyEnd, part.bodyStart + sourceBytesFor(maxBytes, part))
  if (bodyEnd === part.bodyEnd) return decodePartText(bytes, part, { maxBytes, offset }).value
  const head = asBuffer(bytes).subarray(part.bodyStart - offset, bodyEnd - offset)
  const decoded = toBodyText(head, part, true)
  return Buffer.byteLength(decoded.text) > maxBytes ? truncated(decoded, part.type, maxBytes).value : decoded.text
}

/** Octets of a body that fill `maxBytes` of UTF-8 for usual content; if they do not, the whole body is decoded. */
function sourceBytesFor(maxBytes: number, { encoding, charset }: TextContent): number {
  // With line ends of two octets, of which one stays.
  const perOctet = encoding === 'quoted-printable' ? 4 : encoding === 'base64' ? 2 : 1.5
  const perCharacter = charset !== null && WIDE.test(charset) ? 4 : 1
  return Math.ceil(maxBytes * perOctet * perCharacter) + 1024
}

/** Charsets with more octets for a character than UTF-8 may have. */
const WIDE = /^(?:utf-?16|utf-?32|ucs|iso-10646|unicode)/i

function truncated(body: { text: string; problem: boolean }, type: string, maxBytes: number): BodyValue {
  let value = cutUtf8(body.text, maxBytes)
  if (type === 'text/html') value = cutBeforeOpenTag(value)
  return { value, isEncodingProblem: body.problem, isTruncated: true }
}

function toBodyText(body: Buffer, part: TextContent, isHead: boolean): { text: string; problem: boolean } {
  const content = decodeTransfer(body, part.encoding)
  const decoded = contentText(isHead ? dropPartialUtf8(content) : content, part)
  const isUndecoded = part.encoding === 'base64' && content === body
  return isUndecoded ? { text: decoded.text, problem: true } : decoded
}

/** Characters whose lines are in memory one by one at a time. */
const PIECE_CHARS = 65_536

/** RFC 8621 4.1.4: any CRLF is replaced with a single LF. `replaceAll` makes a tree with 60 octets for each line of the whole text. */
function withoutCr(text: string): string {
  if (!text.includes('\r\n')) return text
  const pieces: string[] = []
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(text.length, from + PIECE_CHARS)
    // A line end stays whole.
    if (text.charCodeAt(to - 1) === 0x0d && text.charCodeAt(to) === 0x0a) to++
    pieces.push(text.slice(from, to).split('\r\n').join('\n'))
  }
  return pieces.join('')
}

/** The text of transfer-decoded content. */
export function contentText(content: Buffer, part: TextContent): { text: string; problem: boolean } {
  const decoded = decodeCharset(content, part.charset)
  let text = decoded.text
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1)
  return { text: withoutCr(text), problem: decoded.problem || !isKnownEncoding(part.encoding) }
}

/** A cut may end inside a character of well-formed UTF-8; that is no encoding problem. */
function dropPartialUtf8(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return bytes
  for (let drop = 1; drop <= 3 && drop < bytes.length; drop++) {
    const head = bytes.subarray(0, bytes.length - drop)
    if (isUtf8(head)) return head
  }
  return bytes
}

/** The longest beginning of `text` with at most `maxBytes` octets of UTF-8, cut between code points. */
export function cutUtf8(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three octets, so this many units fit.
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
  const open = openTagStart(html)
  return open < 0 ? html : html.slice(0, open)
}
