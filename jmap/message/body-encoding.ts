/** Chooses the Content-Transfer-Encoding of written parts (RFC 2045 6): 7bit if the content is, else the shorter of two encodings. */
import { Buffer, isAscii } from 'node:buffer'

export type TransferEncoding = '7bit' | '8bit' | 'base64' | 'quoted-printable'

export interface EncodedBody {
  readonly encoding: TransferEncoding
  /** Ends with a line break only if the content does. */
  readonly bytes: Buffer
}

/** RFC 2045 2.7, 2.8: octets of a line without its CRLF. */
const LINE_MAX = 998
const QP_LINE_MAX = 76
const BASE64_LINE = 76
const BASE64_LINE_OCTETS = 57
/** Readable text may be longer by this factor: filters and people read the source. */
const READABLE_BONUS = 1.2

/** Text (line ends LF or CRLF) as UTF-8. */
export function encodeText(text: string): EncodedBody {
  const bytes = textOctets(text)
  // Mbox stores would change a line that begins with "From ".
  if (isPlain7bit(bytes) && !/^From /m.test(text)) return { encoding: '7bit', bytes }
  const base64Length = (bytes.length * 4 * (BASE64_LINE + 2)) / (3 * BASE64_LINE)
  const encoded = encodeQuotedPrintable(bytes, { atMost: base64Length * READABLE_BONUS })
  return encoded ? { encoding: 'quoted-printable', bytes: encoded } : { encoding: 'base64', bytes: encodeBase64(bytes) }
}

/** UTF-8 with lines that end with CRLF (RFC 2045 2.7). */
export function textOctets(text: string): Buffer {
  return Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'utf8')
}

/** Octets that must stay unchanged. */
export function encodeOctets(bytes: Buffer, type: string): EncodedBody {
  const isText = type.startsWith('text/') || type.startsWith('message/')
  if (isText && isPlain7bit(bytes)) return { encoding: '7bit', bytes }
  // RFC 2046 5.2.1: message/rfc822 may not be base64. Lines that SMTP cannot carry leave no other choice.
  if (type === 'message/rfc822' && hasPlainLines(bytes)) return { encoding: '8bit', bytes }
  return { encoding: 'base64', bytes: encodeBase64(bytes) }
}

function isPlain7bit(bytes: Buffer): boolean {
  return isAscii(bytes) && hasPlainLines(bytes)
}

/** No NUL, no bare CR or LF, no line over 998 octets. */
function hasPlainLines(bytes: Buffer): boolean {
  let lineStart = 0
  for (let index = 0; index < bytes.length; index++) {
    const code = bytes[index] as number
    if (code > 0x0d) continue
    if (code === 0) return false
    if (code === 0x0d) {
      if (bytes[index + 1] !== 0x0a || index - lineStart > LINE_MAX) return false
      lineStart = index + 2
      index++
    } else if (code === 0x0a) {
      return false
    }
  }
  return bytes.length - lineStart <= LINE_MAX
}

/** RFC 2045 6.8, lines of 76 characters. */
function encodeBase64(bytes: Buffer): Buffer {
  const chars = Math.ceil(bytes.length / 3) * 4
  const out = Buffer.allocUnsafe(chars + Math.max(0, Math.ceil(chars / BASE64_LINE) - 1) * 2)
  let length = 0
  // Line by line: a large attachment is not in memory as a text too.
  for (let index = 0; index < bytes.length; index += BASE64_LINE_OCTETS) {
    if (length > 0) length += out.write('\r\n', length, 'latin1')
    length += out.write(bytes.toString('base64', index, index + BASE64_LINE_OCTETS), length, 'latin1')
  }
  return out
}

interface QuotedPrintable {
  /** Octets from which on it is given up. */
  readonly atMost?: number
  /** No white space is left that the relaxed form of a DKIM body changes (RFC 6376 3.4.4): it needs no second copy then. */
  readonly isRelaxed?: boolean
}

/**
 * RFC 2045 6.7 for text whose line ends are CRLF. Bare CR and LF are encoded, so that decoding restores them.
 * @returns null: it is longer than `atMost`
 */
function encodeQuotedPrintable(bytes: Buffer, options: QuotedPrintable & { readonly atMost: number }): Buffer | null
function encodeQuotedPrintable(bytes: Buffer, options?: Omit<QuotedPrintable, 'atMost'>): Buffer
function encodeQuotedPrintable(bytes: Buffer, { atMost, isRelaxed = false }: QuotedPrintable = {}): Buffer | null {
  // Worst case: three octets for each, and a soft line break (3) for every 73 of those.
  const room = Math.ceil(bytes.length * 3.2)
  const most = Math.min(room, Math.floor(atMost ?? room))
  const out = Buffer.allocUnsafe(most + 8)
  let length = 0
  let column = 0
  for (let index = 0; index < bytes.length; index++) {
    const code = bytes[index] as number
    if (code === 0x0d && bytes[index + 1] === 0x0a) {
      out[length++] = 0x0d
      out[length++] = 0x0a
      column = 0
      index++
      if (length > most) return null
      continue
    }
    const isChanged = isRelaxed && (code === 0x09 || (code === 0x20 && out[length - 1] === 0x20))
    const width = !isChanged && isLiteral(bytes, index, code, column) ? 1 : 3
    // Every line keeps room for the `=` of a soft line break.
    if (column + width > QP_LINE_MAX - 1) {
      length += out.write('=\r\n', length, 'latin1')
      column = 0
    }
    if (width === 1 && !(column === 0 && isChangedAtLineStart(bytes, index, code))) {
      out[length++] = code
      column++
    } else {
      out[length++] = 0x3d
      out[length++] = HEX.charCodeAt(code >> 4)
      out[length++] = HEX.charCodeAt(code & 15)
      column += 3
    }
    if (length > most) return null
  }
  return out.subarray(0, length)
}

/** A short word that is the same as quoted-printable. */
const PLAIN_WORD = /^[!-\-/-<>-~][!-<>-~]{0,69}$/

/**
 * Text as quoted-printable, whatever it is, without white space that DKIM's relaxed form changes. Pieces of a text may be encoded apart: a
 * soft line break joins them.
 */
export function quotedPrintable(text: string): string {
  if (PLAIN_WORD.test(text)) return text
  return encodeQuotedPrintable(textOctets(text), { isRelaxed: true }).toString('latin1')
}

/** RFC 2045 6.7 rule 5: a line break that is not part of the text. */
export const SOFT_LINE_BREAK = '=\r\n'

const HEX = '0123456789ABCDEF'

function isLiteral(bytes: Buffer, index: number, code: number, column: number): boolean {
  if (code === 0x20 || code === 0x09) {
    const next = bytes[index + 1]
    // RFC 2045 6.7 rule 3: white space at the end of a line is encoded, also before a soft line break.
    return next !== undefined && next !== 0x0d && next !== 0x0a && column < QP_LINE_MAX - 2
  }
  return code > 0x20 && code < 0x7f && code !== 0x3d
}

/** Some software changes a dot (SMTP) or "From " (mbox) at the start of a line. */
function isChangedAtLineStart(bytes: Buffer, index: number, code: number): boolean {
  return code === 0x2e || (code === 0x46 && bytes.toString('latin1', index, index + 5) === 'From ')
}
