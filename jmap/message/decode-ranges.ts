/**
 * Reads ranges of an encoded body without decoding all of it before: decoding can start at every whole quantum of base64 and at every
 * line of quoted-printable. Pure.
 */
import { Buffer } from 'node:buffer'
import { PART_MARK_EVERY_BYTES } from '../../server/base/limits.ts'
import { decodedSize, decodeTransfer } from './transfer.ts'

/** Numbers of octets of the content and of the body that correspond, counted from their starts. */
export interface Mark {
  readonly encoded: number
  readonly decoded: number
}

const LINE_FEED = 0x0a

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
    const lineEnd = body.indexOf(LINE_FEED, start + PART_MARK_EVERY_BYTES)
    const end = lineEnd < 0 ? body.length : lineEnd + 1
    decoded += decodedSize(body, start, end, 'quoted-printable')
    marks.push({ encoded: end, decoded })
    start = end
  }
  return marks
}

/** The marks around octets `start` to `end` of the content. */
export function marksAround(marks: readonly Mark[], start: number, end: number): { from: Mark; to: Mark } {
  const last = marks.at(-1)!
  const from = marks.findLast(({ decoded }) => decoded <= start) ?? marks[0]!
  const to = marks.find(({ decoded, encoded }) => decoded >= end && encoded >= from.encoded) ?? last
  return { from, to }
}

/** Octets `start` to `end` of the content, decoded from the body between two marks; null: the result does not fit the marks. */
export function decodeBetween(
  bytes: Buffer,
  encoding: string,
  { from, to }: { readonly from: Mark; readonly to: Mark },
  start: number,
  end: number,
): Buffer | null {
  const content = decodeTransfer(bytes, encoding)
  if (content.length !== to.decoded - from.decoded) return null
  return content.subarray(Math.max(0, start - from.decoded), Math.max(0, end - from.decoded))
}
