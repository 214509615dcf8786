/** RECUR (RFC 5545 3.3.10, RFC 7529) to RecurrenceRule (jscalendarbis 3.3.3) and back. */
import { ICALENDAR_RULE_MAX_CHARS } from '../../../server/base/icalendar-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject } from '../../protocol/json-object.ts'
import { fromMs, isDateOnly, isRealTime, localOf, toMs } from './local-time.ts'
import { toLocal, toUtc, transitions } from './zone-clock.ts'

const FREQUENCIES = ['secondly', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly']
const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su']

/** Parts whose values are lists of integers, with their bounds; zero is no day and no position. */
const NUMBERS: { readonly [part: string]: { readonly name: string; readonly min: number; readonly max: number } } = {
  BYSECOND: { name: 'bySecond', min: 0, max: 60 },
  BYMINUTE: { name: 'byMinute', min: 0, max: 59 },
  BYHOUR: { name: 'byHour', min: 0, max: 23 },
  BYMONTHDAY: { name: 'byMonthDay', min: -31, max: 31 },
  BYYEARDAY: { name: 'byYearDay', min: -366, max: 366 },
  BYWEEKNO: { name: 'byWeekNo', min: -53, max: 53 },
  BYSETPOS: { name: 'bySetPosition', min: -366, max: 366 },
}

/** What a rule depends on: the form of DTSTART. */
export interface RuleContext {
  /** null: floating. */
  readonly zone: string | null
  /** DTSTART is a DATE. */
  readonly date: boolean
}

/** The rule, or what is wrong with it: a sentence without its end. */
export function readRule(text: string, context: RuleContext): MutableJsonObject | string {
  if (text.length > ICALENDAR_RULE_MAX_CHARS) return `RRULE has more than ${ICALENDAR_RULE_MAX_CHARS} characters`
  const rule: MutableJsonObject = { '@type': 'RecurrenceRule' }
  const seen = new Set<string>()
  for (const piece of text.split(';')) {
    const at = piece.indexOf('=')
    const part = (at < 0 ? piece : piece.slice(0, at)).trim().toUpperCase()
    const value = at < 0 ? '' : piece.slice(at + 1).trim()
    if (part === '' && value === '') continue
    if (seen.has(part)) return `RRULE has ${part} twice`
    seen.add(part)
    // An empty list is no restriction; Outlook writes some.
    if (value === '' && part.startsWith('BY')) continue
    const fault = readPart(rule, part, value.toUpperCase(), context)
    if (fault !== null) return fault
  }
  if (rule['frequency'] === undefined) return 'RRULE has no FREQ'
  if (rule['count'] !== undefined && rule['until'] !== undefined) return 'RRULE has COUNT and UNTIL'
  return rule
}

/** Sets one part; a fault as of `readRule`. Parts of other specifications are left out. */
function readPart(rule: MutableJsonObject, part: string, value: string, context: RuleContext): string | null {
  const wrong = `${part} of RRULE is wrong: ${value.slice(0, 50)}`
  const set = (name: string, json: Json | null): string | null => {
    if (json === null) return wrong
    rule[name] = json
    return null
  }
  const numbers = Object.hasOwn(NUMBERS, part) ? NUMBERS[part] : undefined
  if (numbers !== undefined) return set(numbers.name, integers(value, numbers.min, numbers.max))
  const lower = value.toLowerCase()
  switch (part) {
    case 'FREQ':
      return set('frequency', FREQUENCIES.includes(lower) ? lower : null)
    case 'INTERVAL':
      return set('interval', positive(value))
    case 'COUNT':
      return set('count', positive(value))
    case 'UNTIL':
      return set('until', readUntil(value, context))
    case 'WKST':
      return set('firstDayOfWeek', WEEKDAYS.includes(lower) ? lower : null)
    case 'BYDAY':
      return set('byDay', readDays(lower))
    case 'BYMONTH':
      return set('byMonth', readMonths(value))
    case 'RSCALE':
      return set('rscale', /^[a-z0-9-]+$/.test(lower) ? lower : null)
    case 'SKIP':
      return set('skip', ['omit', 'backward', 'forward'].includes(lower) ? lower : null)
    default:
      return null
  }
}

function integers(text: string, min: number, max: number): number[] | null {
  const values = text.split(',').map((item) => (/^[+-]?\d{1,3}$/.test(item.trim()) ? Number(item) : Number.NaN))
  const valid = values.every((value) => value >= min && value <= max && (min >= 0 || value !== 0))
  // A leap second becomes the second before it, as in local-time.ts.
  return valid ? values.map((value) => (max === 60 ? Math.min(value, 59) : value + 0)) : null
}

function positive(text: string): number | null {
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null
}

function readDays(text: string): JsonObject[] | null {
  const days: JsonObject[] = []
  for (const item of text.split(',')) {
    const [, nth, day] = /^([+-]?\d{1,3})?(mo|tu|we|th|fr|sa|su)$/.exec(item.trim()) ?? []
    if (day === undefined || (nth !== undefined && Number(nth) === 0)) return null
    days.push(nth === undefined ? { '@type': 'NDay', day } : { '@type': 'NDay', day, nthOfPeriod: Number(nth) })
  }
  return days
}

function readMonths(text: string): string[] | null {
  const months = text.split(',').map((item) => /^0*(\d{1,2}L?)$/.exec(item.trim())?.[1] ?? '')
  return months.every((month) => Number.parseInt(month, 10) >= 1 && Number.parseInt(month, 10) <= 13) ? months : null
}

/**
 * UNTIL as a LocalDateTime of the event. A DATE ends a series of date-times at the end of that day: RFC 5545 3.3.10 asks for the same
 * type as DTSTART, but many write a DATE and mean the day.
 */
function readUntil(text: string, { zone, date }: RuleContext): string | null {
  if (!/^\d{8}(?:T\d{6}Z?)?$/.test(text) || !isRealTime(text)) return null
  const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`
  if (date) return `${day}T00:00:00`
  if (text.length === 8) return `${day}T23:59:59`
  const local = localOf(`${day}T${text.slice(9, 11)}:${text.slice(11, 13)}:${text.slice(13, 15)}`)
  return text.endsWith('Z') && zone !== null ? lastLocal(toMs(local), zone) : local
}

/**
 * The last local time that is not after an instant. Rules produce local times, and of a repeated hour the first passing: in the second
 * passing all of that hour is over.
 */
function lastLocal(instant: number, zone: string): string {
  const local = toLocal(instant, zone)
  if (toUtc(local, zone) === instant) return local
  const year = Number(local.slice(0, 4))
  const change = transitions(zone, year - 1, year + 1).findLast(({ at }) => at <= instant)
  return change === undefined || change.to >= change.from ? local : fromMs(change.at + change.from - 1_000)
}

/** The text of a rule; null: the object is no rule. */
export function writeRule(rule: JsonObject, context: RuleContext): string | null {
  const frequency = rule['frequency']
  if (typeof frequency !== 'string' || !FREQUENCIES.includes(frequency)) return null
  const parts: string[] = []
  const add = (part: string, value: string | null) => {
    if (value !== null) parts.push(`${part}=${value}`)
  }
  const word = (name: string) =>
    typeof rule[name] === 'string' && /^[\w-]+$/.test(rule[name]) ? rule[name].toUpperCase() : null
  const number = (name: string) => (typeof rule[name] === 'number' ? String(rule[name]) : null)
  // RFC 7529 4.1: RSCALE comes first.
  add('RSCALE', word('rscale'))
  add('FREQ', frequency.toUpperCase())
  add('UNTIL', typeof rule['until'] === 'string' ? writeUntil(rule['until'], context) : null)
  add('COUNT', number('count'))
  add('INTERVAL', number('interval'))
  for (const [part, { name }] of Object.entries(NUMBERS))
    add(
      part,
      listText(rule[name], (item) => (typeof item === 'number' ? String(item) : null)),
    )
  add('BYDAY', listText(rule['byDay'], dayText))
  add(
    'BYMONTH',
    listText(rule['byMonth'], (item) => (typeof item === 'string' && /^\d{1,2}L?$/.test(item) ? item : null)),
  )
  add('WKST', word('firstDayOfWeek'))
  add('SKIP', word('skip'))
  return parts.join(';')
}

function listText(json: Json | undefined, text: (item: Json) => string | null): string | null {
  if (!Array.isArray(json) || json.length === 0) return null
  const items = json.map(text)
  return items.includes(null) ? null : items.join(',')
}

function dayText(json: Json): string | null {
  if (!isObject(json) || typeof json['day'] !== 'string' || !WEEKDAYS.includes(json['day'])) return null
  const nth = json['nthOfPeriod']
  return `${typeof nth === 'number' ? nth : ''}${json['day'].toUpperCase()}`
}

/** RFC 5545 3.3.10: the type of DTSTART; UTC if DTSTART has a time zone. */
function writeUntil(until: string, { zone, date }: RuleContext): string | null {
  const basic = (local: string) => local.replace(/[:-]/g, '')
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(until)) return null
  if (date && isDateOnly(until)) return basic(until.slice(0, 10))
  return zone === null ? basic(until) : `${basic(new Date(toUtc(until, zone)).toISOString().slice(0, 19))}Z`
}
