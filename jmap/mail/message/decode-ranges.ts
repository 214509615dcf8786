/**
 * Ranges of an encoded body without decoding all that is before them: places from which decoding can start anew. In base64 that is
 * every whole quantum, in quoted-printable every line. Pure.
 */
import type { Buffer } from 'node:buffer'
import { PART_MARK_EVERY_BYTES } from '../../../server/base/limits.ts'
import { decodedSize, decodeTransfer } from './transfer.ts'

/** So many octets of the content come from so many octets of the body, counted from their starts. */
export interface Mark {
  readonly encoded: number
  readonly decoded: number
}

const LINE_FEED = 0x0a
const PADDING = 0x3d

/**
 * Ascending, from the start to the end; null when the body cannot be cut (junk in base64, segments after one another).
 * @param size octets of the content, as decoding all of it gives them
 */
export function findMarks(body: Buffer, encoding: string, size: number): readonly Mark[] | null {
  const marks = encoding === 'base64' ? base64Marks(body) : encoding === 'quoted-printable' ? quotedMarks(body) : null
  return marks?.at(-1)?.decoded === size ? marks : null
}

function base64Marks(body: Buffer): Mark[] | null {
  const marks: Mark[] = [{ encoded: 0, decoded: 0 }]
  const every = (Math.ceil(PART_MARK_EVERY_BYTES / 3) * 4) as number
  let characters = 0
  let isPadded = false
  for (let index = 0; index < body.length; index++) {
    const code = body[index] as number
    if (isBlank(code)) continue
    if (code === PADDING) {
      isPadded = true
      continue
    }
    if (isPadded || !isBase64(code)) return null
    characters++
    if (characters % every === 0) marks.push({ encoded: index + 1, decoded: (characters / 4) * 3 })
  }
  marks.push({ encoded: body.length, decoded: Math.floor((characters * 3) / 4) })
  return marks
}

function isBlank(code: number): boolean {
  return code === 0x0d || code === LINE_FEED || code === 0x20 || code === 0x09
}

function isBase64(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2f
  )
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

/**
 * Octets `start` to `end` of the content, out of the body's octets from one mark to another; null when these do not decode to what
 * the marks say.
 */
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
