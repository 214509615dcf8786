/** Octets to content lines (RFC 5545 3.1). */
import { Buffer, isUtf8 } from 'node:buffer'
import {
  ICALENDAR_LINE_MAX_CHARS,
  ICALENDAR_MAX_BYTES,
  ICALENDAR_MAX_LINES,
} from '../../../server/base/icalendar-limits.ts'
import { ICalendarError } from './faults.ts'

/** The first character of a line end. A pattern for all of it would keep a state for each CR, of which there may be millions. */
const LINE_END = /[\r\n]/g

/** Where lines stand in a text, so that they can be read again. */
export interface LineRange {
  /** Offset of the first character. */
  readonly start: number
  /** Offset behind the last line end. */
  readonly end: number
  /** Number of the first line, from 1. */
  readonly line: number
}

export interface ContentLine extends LineRange {
  readonly text: string
  /** Number of the line behind it. */
  readonly nextLine: number
}

/**
 * The text of an input, which its lines are read from. Octets are unfolded before they are decoded, because a fold may stand inside of a
 * character (RFC 5545 3.1).
 */
export class ICalendarText {
  readonly #text: string
  readonly #decode: (line: string) => string

  /** @throws ICalendarError if the input is larger than the limits */
  constructor(input: Uint8Array | string) {
    if (input.length > ICALENDAR_MAX_BYTES)
      throw new ICalendarError(`The text has more than ${ICALENDAR_MAX_BYTES} octets.`)
    const wide = typeof input === 'string' ? input : decodeWide(input)
    this.#decode = wide === null ? decodeLine : (line) => line
    this.#text =
      wide ??
      Buffer.from((input as Uint8Array).buffer, (input as Uint8Array).byteOffset, input.length).toString('latin1')
  }

  /** Unfolds. @param range absent: all lines @throws ICalendarError if the lines are more, or longer, than the limits */
  *lines(range: LineRange = { start: 0, end: this.#text.length, line: 1 }): Generator<ContentLine> {
    const text = this.#text
    let line = range.line - 1
    let start = range.start
    let pieces: string[] = []
    let first = { start, line: range.line }
    let size = 0
    const finish = (end: number, nextLine: number) => {
      const whole = withoutControls(this.#decode(pieces.length === 1 ? pieces[0]! : pieces.join('')))
      return { text: first.line === 1 ? whole.replace(/^\uFEFF/, '') : whole, ...first, end, nextLine }
    }
    while (start < range.end) {
      const end = lineEnd(text, start)
      line++
      if (line > ICALENDAR_MAX_LINES) throw new ICalendarError(`The text has more than ${ICALENDAR_MAX_LINES} lines.`)
      const piece = text.slice(start, end)
      const folded = pieces.length > 0 && (piece[0] === ' ' || piece[0] === '\t')
      if (folded) {
        pieces.push(piece.slice(1))
      } else {
        if (pieces.length > 0 && size > 0) yield finish(start, line)
        pieces = [piece]
        first = { start, line }
        size = 0
      }
      size += piece.length
      if (size > ICALENDAR_LINE_MAX_CHARS) {
        throw new ICalendarError(`Line ${first.line} has more than ${ICALENDAR_LINE_MAX_CHARS} characters.`)
      }
      start = afterLineEnd(text, end)
    }
    if (size > 0) yield finish(start, line + 1)
  }
}

function lineEnd(text: string, from: number): number {
  LINE_END.lastIndex = from
  return LINE_END.exec(text)?.index ?? text.length
}

/** Line ends that are found in practice: CRLF, LF, CR CR LF, and CR alone. Several CR count as one. */
function afterLineEnd(text: string, end: number): number {
  let index = end
  while (text[index] === '\r') index++
  return text[index] === '\n' ? index + 1 : index
}

/** One line of Latin-1 text is UTF-8 (RFC 5545 3.1.4) or, if that fails, what old programs write. */
function decodeLine(line: string): string {
  if (!/[\x80-\xFF]/.test(line)) return line
  const octets = Buffer.from(line, 'latin1')
  return isUtf8(octets) ? octets.toString('utf8') : new TextDecoder('windows-1252').decode(octets)
}

/** UTF-16 with a byte order mark; null: other octets. */
function decodeWide(octets: Uint8Array): string | null {
  if (octets[0] === 0xff && octets[1] === 0xfe) return new TextDecoder('utf-16le').decode(octets)
  if (octets[0] === 0xfe && octets[1] === 0xff) return new TextDecoder('utf-16be').decode(octets)
  return null
}

/** RFC 5545 3.1: CONTROL has no place in a value. */
function withoutControls(text: string): string {
  return CONTROLS.test(text) ? text.replaceAll(ALL_CONTROLS, '') : text
}

const CONTROLS = /[\x00-\x08\x0A-\x1F\x7F]/
const ALL_CONTROLS = new RegExp(CONTROLS, 'g')
