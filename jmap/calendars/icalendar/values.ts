/** The value of a content line to jCal (RFC 7265 3.6), checked by its type. */
import ICAL from 'ical.js'
import { ICALENDAR_MAX_DATES } from '../../../server/base/icalendar-limits.ts'
import type { Json } from '../../../server/base/json.ts'
import { readDuration } from '../jscalendar/date-times.ts'
import type { SplitLine } from './content-line.ts'
import { defaultType, isMany, READING } from './design.ts'
import { ICalendarError } from './faults.ts'
import type { Parameters, Property } from './jcal.ts'
import { isRealTime } from './local-time.ts'

const DATE = /^\d{8}$/
const DATE_TIME = /^\d{8}T\d{6}Z?$/

function isDuration(text: string): boolean {
  return readDuration(text) !== null && /\d/.test(text)
}

function isPeriod(text: string): boolean {
  const [start, end, ...more] = text.split('/')
  if (start === undefined || end === undefined || more.length > 0) return false
  return isDateTime(start) && (isDuration(end) || isDateTime(end))
}

function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && isRealTime(text)
}

/** Types whose values have a form; a list is checked item by item. */
const FORMS: { readonly [type: string]: (text: string) => boolean } = {
  date: (text) => DATE.test(text) && isRealTime(text),
  'date-time': isDateTime,
  duration: isDuration,
  period: isPeriod,
  integer: (text) => /^[+-]?\d{1,15}$/.test(text),
  boolean: (text) => /^(?:TRUE|FALSE)$/i.test(text),
  'utc-offset': (text) => /^[+-]\d{4}(?:\d{2})?$/.test(text),
  binary: (text) => /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/.test(text),
}

/** Properties of times, whose VALUE is often missing or wrong: the form decides. */
const TIMES = new Set(['dtstart', 'dtend', 'due', 'recurrence-id', 'exdate', 'rdate'])

/** The property, and what is wrong with its value; then the value stays the text that it is, with the type `unknown`. */
export function toProperty(
  split: SplitLine,
  line: number,
): { readonly property: Property; readonly fault: string | null } {
  const { value: declared, ...parameters } = split.parameters
  // Some escape the semicolon of GEO like that of a text.
  const value = split.name === 'geo' ? split.value.replace('\\;', ';') : split.value
  const type = typeOf(split.name, declared, value)
  const raw = (fault: string | null): { property: Property; fault: string | null } => ({
    property: { name: split.name, parameters: withValue(parameters, declared), type: 'unknown', values: [value], line },
    fault,
  })
  const items = isMany(split.name) ? value.split(/[,;]/, ICALENDAR_MAX_DATES + 1) : [value]
  if (items.length > ICALENDAR_MAX_DATES) {
    throw new ICalendarError(`Line ${line} has more than ${ICALENDAR_MAX_DATES} values.`)
  }
  const form = FORMS[type]
  if (form !== undefined) {
    if (!items.every((item) => form(item.trim()))) return raw(`${split.name.toUpperCase()} is no ${type}`)
  }
  if (split.name === 'geo' && !/^[+-]?\d+(?:\.\d+)?;[+-]?\d+(?:\.\d+)?$/.test(value.trim())) {
    return raw('GEO is no pair of numbers')
  }
  try {
    const values = convert(split.name, type, value)
    return { property: { name: split.name, parameters, type, values, line }, fault: null }
  } catch {
    return raw(`${split.name.toUpperCase()} is no ${type}`)
  }
}

function convert(name: string, type: string, value: string): Json[] {
  const text = type === 'text' || type === 'unknown' ? value : value.trim()
  // Without parameters, which content-line.ts has read; ical.js takes the type from VALUE.
  const jcal: unknown = ICAL.parse.property(`${name};VALUE=${type}:${text}`, READING)
  if (!Array.isArray(jcal)) throw new TypeError('no property')
  return jcal.slice(3)
}

function typeOf(name: string, declared: string | readonly string[] | undefined, value: string): string {
  const given = typeof declared === 'string' && /^[A-Za-z0-9-]{1,50}$/.test(declared) ? declared.toLowerCase() : null
  if (TIMES.has(name)) {
    if (given === 'period' || value.includes('/')) return 'period'
    return value.includes('T') ? 'date-time' : 'date'
  }
  if (name === 'trigger') return /^[+-]?P/.test(value.trim()) ? 'duration' : 'date-time'
  return given ?? defaultType(name)
}

/** VALUE stands in the type of a property; one whose type is `unknown` keeps it as a parameter. */
function withValue(parameters: Parameters, declared: string | readonly string[] | undefined): Parameters {
  return declared === undefined ? parameters : { ...parameters, value: declared }
}
