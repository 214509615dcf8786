/** The only reader of header blocks: finds where each field is. Offsets are octets in the given array. */
import type { Buffer } from 'node:buffer'
import {
  MIME_MAX_HEADER_BYTES,
  MIME_MAX_HEADER_FIELDS,
  MIME_MAX_TRACE_BYTES,
  MIME_MAX_TRACE_FIELDS,
} from '../../server/base/limits.ts'
import { asBuffer } from './charset.ts'

/** One header field. The value runs from the octet after the colon to the last octet before the final line break. */
export interface HeaderField {
  /** As the message writes it (RFC 8621 4.1.3). */
  readonly name: string
  /** Octet at which the name begins. */
  readonly lineStart: number
  readonly start: number
  readonly end: number
}

export interface HeaderBlock {
  readonly fields: HeaderField[]
  /** Octet after the last header line. */
  readonly headerEnd: number
  /** Octet after the blank line; `headerEnd` if no blank line ends the header. */
  readonly bodyStart: number
  /** A limit left fields (or the end of one) unread. */
  readonly truncated: boolean
}

export interface HeaderLimits {
  readonly bytes: number
  readonly fields: number
}

export interface HeaderReadOptions {
  /** Whether the line at an offset is a delimiter of a multipart around the part. */
  readonly isDelimiter?: ((lineStart: number) => boolean) | undefined
  readonly limits?: HeaderLimits
}

const LF = 0x0a
const CR = 0x0d
/** A whole header that was accepted, with the trace fields that were written in front of it. */
const MIME_LIMITS: HeaderLimits = {
  bytes: MIME_MAX_HEADER_BYTES + MIME_MAX_TRACE_BYTES,
  fields: MIME_MAX_HEADER_FIELDS + MIME_MAX_TRACE_FIELDS,
}
const NO_LIMITS: HeaderLimits = { bytes: Number.POSITIVE_INFINITY, fields: Number.POSITIVE_INFINITY }
/** RFC 5322 2.1.1: octets of a line, so of a field name and the white space before its colon. */
const NAME_MAX_BYTES = 998

/**
 * Reads the header block that begins at `start`. Lines end with CRLF, LF, CR or CR CRLF. The block ends at a blank line, at `end`,
 * before a line for which `isDelimiter` is true (a part that is cut inside its header), or before text that is not a header field. Beyond
 * a limit no field is read, and only a blank line, a delimiter or `end` ends the block. JMAP shows these fields; mail transport strips,
 * counts and signs the same ones. The cost is linear in the octets of the header.
 */
export function readHeaderBlock(
  bytes: Buffer,
  start: number,
  end: number,
  { isDelimiter, limits = MIME_LIMITS }: HeaderReadOptions = {},
): HeaderBlock {
  const fields: HeaderField[] = []
  const readEnd = Math.min(end, start + limits.bytes)
  let name: string | null = null
  let lineStart = 0
  let valueStart = 0
  let valueEnd = 0
  let truncated = false
  let position = start
  let bodyStart = -1
  const close = () => {
    if (name !== null) fields.push({ name, lineStart, start: valueStart, end: Math.min(valueEnd, readEnd) })
    name = null
  }
  while (position < end) {
    const first = bytes[position]
    if (first === LF || first === CR) {
      bodyStart = afterLineBreak(bytes, position, end)
      break
    }
    if (first === 0x2d && isDelimiter?.(position)) {
      bodyStart = position
      break
    }
    if (truncated) {
      position = skipLines(bytes, position, end, isDelimiter)
      continue
    }
    if ((first === 0x20 || first === 0x09) && position > start) {
      const lineEnd = findLineEnd(bytes, position, end)
      if (name !== null) valueEnd = lineEnd
      position = afterLineBreak(bytes, lineEnd, end)
      truncated = position > readEnd
      continue
    }
    // White space before the first field is not a fold.
    const nameStart = position === start ? skipBlanks(bytes, position, end) : position
    // A delimiter directly after the header may contain a colon; it is not a field.
    const isDashes = first === 0x2d && bytes[position + 1] === 0x2d
    const colon = isDashes ? -1 : fieldColon(bytes, nameStart, end)
    const lineEnd = findLineEnd(bytes, colon > 0 ? colon : position, end)
    const next = afterLineBreak(bytes, lineEnd, end)
    close()
    if (colon > 0) {
      truncated = next > readEnd || fields.length >= limits.fields
      if (colon < readEnd && fields.length < limits.fields) {
        name = fieldName(bytes, nameStart, colon)
        lineStart = nameStart
        valueStart = colon + 1
        valueEnd = lineEnd
      }
    } else if (lineEnd > readEnd || !isSkippable(bytes, position, next, end, start)) {
      bodyStart = position
      break
    }
    position = next
  }
  close()
  if (bodyStart < 0) bodyStart = position
  return { fields, headerEnd: position, bodyStart, truncated }
}

/** The start of the next line after the one at `from` that may end a header block, or `end`. */
function skipLines(bytes: Buffer, from: number, end: number, isDelimiter: HeaderReadOptions['isDelimiter']): number {
  let position = from
  while (position < end) {
    position = afterLineBreak(bytes, findLineEnd(bytes, position, end), end)
    const first = bytes[position]
    if (first === LF || first === CR || (first === 0x2d && isDelimiter?.(position))) break
  }
  return position
}

/**
 * The whole header of a message, without limits: a field that is stripped or counted cannot be hidden behind the last field that is
 * shown.
 */
export function readWholeHeader(bytes: Uint8Array): HeaderBlock {
  return readHeaderBlock(asBuffer(bytes), 0, bytes.length, { limits: NO_LIMITS })
}

/**
 * A line that is no header field is skipped if it is an mbox "From " line at the top, or if a field follows it (a fold that lost its
 * white space). Otherwise the blank line is missing and the body has begun.
 */
function isSkippable(bytes: Buffer, lineStart: number, next: number, end: number, blockStart: number): boolean {
  if (lineStart === blockStart && startsWithFrom(bytes, lineStart)) return true
  // A line of dashes is a delimiter, of this part or of one around it.
  if (next >= end || (bytes[lineStart] === 0x2d && bytes[lineStart + 1] === 0x2d)) return false
  return fieldColon(bytes, next, Math.min(end, next + 80)) > 0
}

function startsWithFrom(bytes: Buffer, start: number): boolean {
  const at = bytes[start] === 0x3e ? start + 1 : start
  return bytes[at] === 0x46 && bytes.toString('latin1', at, at + 5) === 'From '
}

/** RFC 5322 2.2: index of the colon after a field name (4.5: white space may precede it) in the line at `start`, or -1. */
function fieldColon(bytes: Buffer, start: number, textEnd: number): number {
  const end = Math.min(textEnd, start + NAME_MAX_BYTES)
  let index = start
  for (; index < end; index++) {
    const code = bytes[index] as number
    if (code === 0x3a) return index > start ? index : -1
    if (code <= 0x20 || code >= 0x7f) break
  }
  if (index === start) return -1
  index = skipBlanks(bytes, index, end)
  return index < end && bytes[index] === 0x3a ? index : -1
}

function skipBlanks(bytes: Buffer, from: number, end: number): number {
  let index = from
  while (index < end && (bytes[index] === 0x20 || bytes[index] === 0x09)) index++
  return index
}

function fieldName(bytes: Buffer, start: number, colon: number): string {
  let end = colon
  while (bytes[end - 1] === 0x20 || bytes[end - 1] === 0x09) end--
  return bytes.toString('latin1', start, end)
}

/** Index of the next CR or LF at or after `position`, or `end`. */
export function findLineEnd(bytes: Buffer, position: number, end: number): number {
  let index = position
  while (index < end) {
    const code = bytes[index] as number
    if (code === LF || code === CR) break
    index++
  }
  return index
}

/** The octet after the line break at `position`: CRLF, LF, CR, or CR CRLF as some gateways write. */
export function afterLineBreak(bytes: Buffer, position: number, end: number): number {
  if (position >= end) return end
  if (bytes[position] === LF) return position + 1
  const next = bytes[position + 1]
  if (next === LF) return Math.min(position + 2, end)
  if (next === CR && bytes[position + 2] === LF) return Math.min(position + 3, end)
  return position + 1
}
