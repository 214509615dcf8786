/** Components of iCalendar files and what of them decides when they happen, for comparisons of recurrence. Reads what tests contain. */
import type { RecurrenceRule } from '../../../jmap/calendars/jscalendar/recurrence-rule.ts'
import { formatLocal, parseLocal } from '../../../jmap/calendars/recurrence/local-time.ts'
import { Work } from '../../../jmap/calendars/recurrence/work.ts'
import { isTimeZone, zoneOffsets } from '../../../jmap/calendars/recurrence/zone-offsets.ts'

export type Property = {
  readonly name: string
  readonly parameters: { readonly [name: string]: string }
  readonly value: string
}
export type Component = { readonly name: string; readonly properties: Property[] }

/** The components of each outermost component, in the order of their BEGIN; the outermost one is the first. */
export function calendarsOf(text: string): Component[][] {
  const calendars: Component[][] = []
  const open: Component[] = []
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const property = propertyOf(line)
    if (property === null) continue
    if (property.name === 'BEGIN') {
      const component = { name: property.value.toUpperCase(), properties: [] }
      if (open.length === 0) calendars.push([])
      calendars[calendars.length - 1]!.push(component)
      open.push(component)
    } else if (property.name === 'END') open.pop()
    else open[open.length - 1]?.properties.push(property)
  }
  return calendars
}

function propertyOf(line: string): Property | null {
  const match = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^";:])*)*):(.*)$/s.exec(line)
  if (match === null) return null
  const parameters: { [name: string]: string } = {}
  for (const [, name, value] of match[2]!.matchAll(/;([\w-]+)=((?:"[^"]*"|[^";:])*)/g)) {
    parameters[name!.toUpperCase()] = value!.replaceAll('"', '')
  }
  return { name: match[1]!.toUpperCase(), parameters, value: match[3]! }
}

/** A DATE or DATE-TIME as LocalDateTime; null: it is none. */
export function localOf(value: string): string | null {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?)?Z?$/.exec(value.trim())
  if (match === null) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = match
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  return parseLocal(text) === null ? null : text
}

/** The time zone of a property: UTC, an IANA name, or null: floating, or a name that is not of IANA. */
export function zoneOf({ parameters, value }: Property): string | null {
  if (/^\d+T\d+Z$/.test(value.trim().split(/[,/]/)[0]!)) return 'Etc/UTC'
  const name = parameters['TZID']
  return name !== undefined && isTimeZone(name) ? name : null
}

/** Seconds since 1970, UTC. */
export function utcOf(local: string, zone: string): number {
  return zoneOffsets(zone).toUtc(parseLocal(local)!, new Work())
}

export function inZone(local: string, from: string, to: string): string {
  if (from === to) return local
  const utc = utcOf(local, from)
  return formatLocal(utc + zoneOffsets(to).offsetAt(utc, new Work()))
}

const WEEK = /^([+-]?\d+)?(MO|TU|WE|TH|FR|SA|SU)$/

/** The RecurrenceRule of an RRULE. `until` is taken as it stands, without its Z. Throws an Error in words. */
export function ruleOf(text: string): { readonly rule: RecurrenceRule; readonly isUntilUtc: boolean } {
  let isUntilUtc = false
  const parts = new Map(
    text
      .trim()
      .split(';')
      .filter(Boolean)
      .map((part) => part.split('=', 2) as [string, string]),
  )
  const rule: { [name: string]: unknown } = {}
  for (const [name, value] of parts) {
    const upper = value.toUpperCase()
    const numbers = () => upper.split(',').map(Number)
    if (name === 'FREQ') rule['frequency'] = value.toLowerCase()
    else if (name === 'INTERVAL') rule['interval'] = Number(value)
    else if (name === 'COUNT') rule['count'] = Number(value)
    else if (name === 'RSCALE') rule['rscale'] = value.toLowerCase()
    else if (name === 'SKIP') rule['skip'] = value.toLowerCase()
    else if (name === 'WKST') rule['firstDayOfWeek'] = value.toLowerCase()
    else if (name === 'BYMONTH') rule['byMonth'] = upper.split(',').map((month) => month.replace(/^0/, ''))
    else if (name === 'BYDAY') rule['byDay'] = upper.split(',').map(weekdayOf)
    else if (NUMBERS[name] !== undefined) rule[NUMBERS[name]] = numbers()
    else if (name === 'UNTIL') {
      const until = localOf(value)
      if (until === null) throw new Error(`UNTIL=${value}`)
      // A date ends with its last second.
      rule['until'] = value.includes('T') ? until : `${until.slice(0, 10)}T23:59:59`
      isUntilUtc = value.endsWith('Z')
    } else if (!name.startsWith('X-')) throw new Error(`${name} is no part of a rule`)
  }
  return { rule: rule as unknown as RecurrenceRule, isUntilUtc }
}

const NUMBERS: { readonly [part: string]: string } = {
  BYSECOND: 'bySecond',
  BYMINUTE: 'byMinute',
  BYHOUR: 'byHour',
  BYMONTHDAY: 'byMonthDay',
  BYYEARDAY: 'byYearDay',
  BYWEEKNO: 'byWeekNo',
  BYSETPOS: 'bySetPosition',
}

function weekdayOf(text: string): object {
  const match = WEEK.exec(text)
  if (match === null) throw new Error(`BYDAY=${text}`)
  const day = match[2]!.toLowerCase()
  return match[1] === undefined ? { day } : { day, nthOfPeriod: Number(match[1]) }
}
