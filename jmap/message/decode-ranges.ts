/**
 * Reads ranges of an encoded body without decoding all of it before: decoding can start at every whole quantum of base64, and in
 * quoted-printable at every line and wherever no escape and no white space is cut. Pure.
 */
import { Buffer } from 'node:buffer'
import { PART_MARK_EVERY_BYTES } from '../../server/base/limits.ts'
import { decodedSize } from './transfer.ts'

/** Numbers of octets of the content and of the body that correspond, counted from their starts. */
export interface Mark {
  readonly encoded: number
  readonly decoded: number
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const EQUALS = 0x3d
/** Octets of a line in which a place to cut it is looked for. Only white space has none, and octets that escape nothing. */
const CUT_WITHIN_BYTES = 4_096

/** The class of an octet in base64 (RFC 2045 6.8). */
const JUNK = 0
const DIGIT = 1
const BLANK = 2
const PADDING = 3
const CLASSES = base64Classes()

function base64Classes(): Uint8Array {
  const classes = new Uint8Array(256).fill(JUNK)
  for (const digit of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'))
    classes[digit] = DIGIT
  for (const blank of Buffer.from(' \t\r\n')) classes[blank] = BLANK
  classes[0x3d] = PADDING
  return classes
}

/**
 * Ascending, from the start to the end; null: the body cannot be cut (junk in base64, or several segments).
 * @param size octets of the decoded content
 */
export function findMarks(body: Buffer, encoding: string, size: number): readonly Mark[] | null {
  const marks = encoding === 'base64' ? base64Marks(body) : encoding === 'quoted-printable' ? quotedMarks(body) : null
  return marks?.at(-1)?.decoded === size ? marks : null
}

/** Encoded characters between two marks: whole quanta. */
const MARK_EVERY_CHARACTERS = Math.ceil(PART_MARK_EVERY_BYTES / 3) * 4

function base64Marks(body: Buffer): Mark[] | null {
  const marks: Mark[] = [{ encoded: 0, decoded: 0 }]
  let characters = 0
  let next = MARK_EVERY_CHARACTERS
  let isPadded = false
  for (let index = 0; index < body.length; ) {
    const run = index
    while (index < body.length && CLASSES[body[index] as number] === DIGIT) index++
    if (isPadded && index > run) return null
    characters += index - run
    for (; next <= characters; next += MARK_EVERY_CHARACTERS)
      marks.push({ encoded: index - (characters - next), decoded: (next / 4) * 3 })
    if (index >= body.length) break
    const kind = CLASSES[body[index++] as number]
    if (kind === PADDING) isPadded = true
    else if (kind !== BLANK) return null
  }
  marks.push({ encoded: body.length, decoded: Math.floor((characters * 3) / 4) })
  return marks
}

function quotedMarks(body: Buffer): Mark[] {
  const marks: Mark[] = [{ encoded: 0, decoded: 0 }]
  let decoded = 0
  for (let start = 0; start < body.length; ) {
    const end = quotedCut(body, start + PART_MARK_EVERY_BYTES)
    decoded += decodedSize(body, start, end, 'quoted-printable')
    marks.push({ encoded: end, decoded })
    start = end
  }
  return marks
}

/** A place from `from` on at which decoding can start: the next line, or a place within a long one; else the end. */
function quotedCut(body: Buffer, from: number): number {
  const lineEnd = body.subarray(from, from + CUT_WITHIN_BYTES).indexOf(LINE_FEED)
  if (lineEnd >= 0) return from + lineEnd + 1
  for (let index = from; index < Math.min(from + CUT_WITHIN_BYTES, body.length); index++)
    if (isCut(body, index)) return index
  const next = body.indexOf(LINE_FEED, from)
  return next < 0 ? body.length : next + 1
}

/** Neither within an escape or a line break, nor after white space, which is removed if the line ends (RFC 2045 6.7, rule 3). */
function isCut(body: Buffer, index: number): boolean {
  const [last, before] = [body[index - 1]!, body[index - 2]!]
  return last !== EQUALS && before !== EQUALS && last !== CARRIAGE_RETURN && last !== 0x20 && last !== 0x09
}

/** The marks around octets `start` to `end` of the content. */
export function marksAround(marks: readonly Mark[], start: number, end: number): { from: Mark; to: Mark } {
  const last = marks.at(-1)!
  const from = marks.findLast(({ decoded }) => decoded <= start) ?? marks[0]!
  const to = marks.find(({ decoded, encoded }) => decoded >= end && encoded >= from.encoded) ?? last
  return { from, to }
}

/** Octets `start` to `end` of the content, of what was decoded between two marks; null: it does not fit the marks. */
export function sliceBetween(
  content: Uint8Array,
  { from, to }: { readonly from: Mark; readonly to: Mark },
  start: number,
  end: number,
): Uint8Array | null {
  if (content.length !== to.decoded - from.decoded) return null
  return content.subarray(Math.max(0, start - from.decoded), Math.max(0, end - from.decoded))
}
