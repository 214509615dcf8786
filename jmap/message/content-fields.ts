/** Content-Type, Content-Disposition and the other fields that describe a part: RFC 2045 5.1, RFC 2183, RFC 2231. */
import { Buffer } from 'node:buffer'
import { decodeCharset, isKnownCharset } from './charset.ts'
import { hexDigit } from './encoded-words.ts'

export interface ParameterisedValue {
  /** The text before the first `;`, without comments. */
  readonly value: string
  /** Names in lower case; of two equal names the first counts, as in other readers. RFC 2231 values are decoded. */
  readonly parameters: ReadonlyMap<string, string>
}

interface Segment {
  readonly index: number
  readonly value: string
  readonly extended: boolean
}

/** Reads `value; name=value; ...` leniently; any text gives a result. */
export function parseParameters(text: string): ParameterisedValue {
  const head = readToken(text, 0, 0x3b, false)
  const parameters = new Map<string, string>()
  const continued = new Map<string, Segment[]>()
  let index = head.end
  while (index < text.length) {
    // text[index] is the `;`
    const name = readToken(text, index + 1, 0x3d, true)
    index = name.end
    if (text.charCodeAt(index) !== 0x3d) continue
    const value = readToken(text, index + 1, 0x3b, false)
    index = value.end
    const key = name.value.toLowerCase()
    const star = key.indexOf('*')
    if (star > 0) collectSegment(continued, key, star, value.value)
    else if (key !== '' && !parameters.has(key)) parameters.set(key, value.value)
  }
  for (const [key, segments] of continued) {
    const value = joinSegments(segments)
    // RFC 2231: the extended form takes precedence; a plain one beside it is for old readers.
    if (value !== null) parameters.set(key, value)
  }
  return { value: head.value, parameters }
}

/** Reads up to `stop` (or also to `;`), outside quotes and comments. Returns the unquoted, trimmed text and its end. */
function readToken(text: string, start: number, stop: number, orSemicolon: boolean): { value: string; end: number } {
  let out = ''
  let runStart = start
  let index = start
  let significant = 0
  const flush = (end: number) => {
    if (end <= runStart) return
    const run = text.slice(runStart, end)
    out += out === '' ? run.trimStart() : run
  }
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === stop || (orSemicolon && code === 0x3b)) break
    if (code === 0x22) {
      flush(index)
      const quoted = readQuoted(text, index)
      out += quoted.value
      significant = out.length
      // RFC 2045 5.1: a value is a token or a quoted-string, so text after the quotes is ignored.
      index = skipTo(text, quoted.end, stop, orSemicolon)
      runStart = index
      break
    }
    if (code === 0x28 && isCommentStart(text, index, start)) {
      flush(index)
      index = skipComment(text, index)
      runStart = index
      continue
    }
    index++
  }
  flush(index)
  const tail = out.slice(significant).trimEnd()
  return { value: out.slice(0, significant) + tail, end: index }
}

// RFC 2045 5.1 allows comments between tokens, but `name=a(1).pdf` without quotes is a file name.
function isCommentStart(text: string, index: number, start: number): boolean {
  if (index === start) return true
  const before = text.charCodeAt(index - 1)
  return before === 0x20 || before === 0x09 || before === 0x29 || before === 0x2f
}

function skipTo(text: string, from: number, stop: number, orSemicolon: boolean): number {
  let index = from
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === stop || (orSemicolon && code === 0x3b)) break
  }
  return index
}

/** Reads the quoted-string at `start`: quoted-pairs decoded; a missing end quote ends at the end of the text. */
export function readQuoted(text: string, start: number): { value: string; end: number } {
  let out = ''
  let runStart = start + 1
  let index = start + 1
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x22) return { value: out + text.slice(runStart, index), end: index + 1 }
    if (code === 0x5c && index + 1 < text.length) {
      out += text.slice(runStart, index)
      runStart = index + 1
      index++
    }
  }
  return { value: out + text.slice(runStart), end: text.length }
}

/** RFC 5322 3.2.2: index after the comment at `start`. Comments nest; an unclosed one runs to the end. */
export function skipComment(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x5c) index++
    else if (code === 0x28) depth++
    else if (code === 0x29 && --depth === 0) return index + 1
  }
  return text.length
}

// RFC 2231 3 and 4: `name*`, `name*0`, `name*0*`.
function collectSegment(continued: Map<string, Segment[]>, key: string, star: number, value: string): void {
  const rest = key.slice(star + 1)
  const extended = rest === '' || rest.endsWith('*')
  const digits = rest === '' ? '0' : extended ? rest.slice(0, -1) : rest
  if (!/^\d{1,4}$/.test(digits)) return
  const name = key.slice(0, star)
  const segments = continued.get(name)
  const segment = { index: Number(digits), value, extended }
  if (segments) segments.push(segment)
  else continued.set(name, [segment])
}

function joinSegments(segments: Segment[]): string | null {
  segments.sort((a, b) => a.index - b.index)
  let charset: string | null = null
  const chunks: Buffer[] = []
  for (const [position, segment] of segments.entries()) {
    if (position > 0 && segment.index === segments[position - 1]?.index) continue
    let value = segment.value
    if (position === 0 && segment.extended) {
      const first = value.indexOf("'")
      const second = first < 0 ? -1 : value.indexOf("'", first + 1)
      if (second >= 0) {
        charset = value.slice(0, first)
        value = value.slice(second + 1)
      }
    }
    chunks.push(segment.extended ? percentDecode(value) : Buffer.from(value, 'utf8'))
  }
  const bytes = Buffer.concat(chunks)
  return decodeCharset(bytes, charset !== null && charset !== '' && isKnownCharset(charset) ? charset : null).text
}

function percentDecode(value: string): Buffer {
  const source = Buffer.from(value, 'utf8')
  const out = Buffer.allocUnsafe(source.length)
  let length = 0
  for (let index = 0; index < source.length; index++) {
    const code = source[index] as number
    const high = code === 0x25 ? hexDigit(source[index + 1] ?? 0) : -1
    const low = high < 0 ? -1 : hexDigit(source[index + 2] ?? 0)
    if (low >= 0) {
      out[length++] = high * 16 + low
      index += 2
    } else {
      out[length++] = code
    }
  }
  return out.subarray(0, length)
}

/** RFC 2045 5.1: the media type in lower case, without comments; null: there is none. */
export function mediaType(value: string): string | null {
  const type = value.replace(/[ \t]/g, '').toLowerCase()
  return /^[^/;,=()<>@"\\[\]?:\0-\x20\x7f]{1,127}\/[^/;,=()<>@"\\[\]?:\0-\x20\x7f]{1,127}$/.test(type) ? type : null
}

/** A value without comments and white space, as in Content-Transfer-Encoding and Content-Disposition. */
export function bareToken(value: string): string {
  return parseParameters(value).value.toLowerCase()
}

/** RFC 2045 7: Content-ID without CFWS and angle brackets; null: nothing is left. */
export function contentId(value: string): string | null {
  const open = angleStart(value)
  const close = open < 0 ? -1 : value.indexOf('>', open)
  const id = open >= 0 ? value.slice(open + 1, close < 0 ? value.length : close) : parseParameters(value).value
  const bare = id.replace(/\s/g, '')
  return bare === '' ? null : bare
}

/** Index of the first `<` outside of comments, or -1. */
function angleStart(value: string): number {
  for (let index = 0; index < value.length; ) {
    const code = value.charCodeAt(index)
    if (code === 0x3c) return index
    index = code === 0x28 ? skipComment(value, index) : index + 1
  }
  return -1
}

/** RFC 3282: the language tags of Content-Language; null: there are none. */
export function contentLanguage(value: string): string[] | null {
  let text = ''
  for (let index = 0; index < value.length; ) {
    if (value.charCodeAt(index) === 0x28) index = skipComment(value, index)
    else text += value[index++]
  }
  const tags = text.split(',').map((tag) => tag.trim())
  const present = tags.filter((tag) => tag !== '')
  return present.length === 0 ? null : present
}
