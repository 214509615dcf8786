/** Components of iCalendar files and what of them decides when they happen, for comparisons of recurrence. Reads what tests contain. */
import { readRule } from '../../../jmap/calendars/icalendar/recurrence-rule.ts'
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
  for (const line of text.replace(/\r*\n[ \t]/g, '').split(/\r*\n/)) {
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

/** The RecurrenceRule of an RRULE. Throws an Error in words. */
export function ruleOf(text: string, zone: string | null, isDate: boolean): RecurrenceRule {
  const rule = readRule(text, { zone, date: isDate })
  if (typeof rule === 'string') throw new Error(rule)
  return rule as unknown as RecurrenceRule
}
