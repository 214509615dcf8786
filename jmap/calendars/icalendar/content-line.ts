/**
 * One content line to name, parameters and value (RFC 5545 3.1, RFC 6868). ical.js 2.2.1 reads a value from a wrong place behind
 * parameters with several quoted values or with RFC 6868 escapes, so parameters are read here.
 */
import { ICALENDAR_PARAMETERS_MAX_CHARS } from '../../../server/base/icalendar-limits.ts'
import type { Parameters } from './jcal.ts'

export interface SplitLine {
  /** Lower case. */
  readonly name: string
  readonly parameters: Parameters
  readonly value: string
}

/** Names of properties, parameters and types, with the `.` and `_` that are found in practice. */
export const NAME = /^[A-Za-z0-9_.-]{1,100}$/

/** The parts of a line, or what is wrong with it: the end of a sentence that begins with the line. */
export function splitLine(text: string): SplitLine | string {
  const nameEnd = endOf(text, 0, ';:')
  if (nameEnd < 0) return 'has no colon'
  const name = text.slice(0, nameEnd)
  if (!NAME.test(name)) return 'does not begin with the name of a property'
  const collected = new Map<string, string[]>()
  let at = nameEnd
  while (text[at] === ';') {
    const next = readParameter(text, at + 1, collected)
    if (typeof next === 'string') return next
    at = next
    if (at > ICALENDAR_PARAMETERS_MAX_CHARS) return 'has too long parameters'
  }
  if (text[at] !== ':') return 'has no colon after its parameters'
  const parameters = Object.fromEntries(
    [...collected].map(([key, values]) => [key, values.length === 1 ? values[0]! : values]),
  )
  return { name: name.toLowerCase(), parameters, value: text.slice(at + 1) }
}

/** Position after the parameter that begins at `start`, or what is wrong. */
function readParameter(text: string, start: number, into: Map<string, string[]>): number | string {
  // An empty parameter (`;;` or `;:`) is found in practice.
  if (text[start] === ';' || text[start] === ':') return start
  const nameEnd = endOf(text, start, '=;:')
  if (nameEnd < 0 || text[nameEnd] !== '=') return 'has a parameter without a value'
  const name = text.slice(start, nameEnd).trim().toLowerCase()
  if (!NAME.test(name)) return 'has a parameter with a malformed name'
  const values = into.get(name) ?? []
  let at = nameEnd
  do {
    const end = readValue(text, at + 1, values)
    if (end < 0) return 'has a parameter with an open quotation mark'
    at = end
  } while (text[at] === ',')
  into.set(name, values)
  return at
}

/** Position of the delimiter after a value of a parameter; -1: its quotation mark is not closed. */
function readValue(text: string, start: number, into: string[]): number {
  if (text[start] !== '"') {
    const end = endOf(text, start, ',;:')
    const stop = end < 0 ? text.length : end
    into.push(decodeParameter(text.slice(start, stop)))
    return stop
  }
  const close = text.indexOf('"', start + 1)
  if (close < 0) return -1
  const end = endOf(text, close + 1, ',;:')
  const stop = end < 0 ? text.length : end
  // Characters after the closing mark are no iCalendar, but they are found in practice.
  into.push(decodeParameter(text.slice(start + 1, close) + text.slice(close + 1, stop)))
  return stop
}

function endOf(text: string, from: number, delimiters: string): number {
  const last = Math.min(text.length, from + ICALENDAR_PARAMETERS_MAX_CHARS)
  for (let at = from; at < last; at++) {
    if (delimiters.includes(text[at]!)) return at
  }
  return -1
}

/** RFC 6868 3.2. */
function decodeParameter(value: string): string {
  if (!value.includes('^')) return value
  return value.replace(/\^[n'^]/g, (code) => (code === '^n' ? '\n' : code === "^'" ? '"' : '^'))
}
