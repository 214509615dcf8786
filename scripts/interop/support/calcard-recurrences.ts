/**
 * calcard's expansions: for each iCalendar file the first 100 instances of its components, by their place in the file. Compared are the
 * instances of each component as a set, since an instance is identified by its time: calcard lists a start twice that is also an RDATE.
 * Floating times and zones that are no IANA names are in Pacific/Auckland there, and the digits of UNTIL are taken as local.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDuration } from '../../../jmap/calendars/jscalendar/date-times.ts'
import { expand } from '../../../jmap/calendars/recurrence/expand.ts'
import { prepare, type RuleSet } from '../../../jmap/calendars/recurrence/prepare.ts'
import { Work } from '../../../jmap/calendars/recurrence/work.ts'
import { zoneOffsets } from '../../../jmap/calendars/recurrence/zone-offsets.ts'
import {
  type Component,
  calendarsOf,
  inZone,
  localOf,
  type Property,
  ruleOf,
  utcOf,
  zoneOf,
} from './ical-components.ts'
import type { Verdict } from './libical-recurrences.ts'

const FLOATING = 'Pacific/Auckland'
const LIMIT = 100
const YEAR_MS = 31_557_600_000
/** chrono-tz has no rules from here on. */
const LAST_YEAR = '2100'
const TIMED = ['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY']

type Expected = {
  readonly errors: readonly { readonly comp_id: number; readonly error: unknown }[]
  readonly events: readonly { readonly comp_id: number; readonly start: string; readonly end: string }[]
}

export function calcardVerdicts(corpora: string): Verdict[] {
  const folder = join(corpora, 'calcard/ical')
  const files = readdirSync(folder).filter(
    (name) => /^\d+\.json$/.test(name) && existsSync(join(folder, name.replace('json', 'ics'))),
  )
  return files.sort().map((name) => ({ name, fault: faultOf(join(folder, name)) }))
}

function faultOf(path: string): string | null {
  const octets = readFileSync(path.replace(/json$/, 'ics'))
  const utf8 = octets.toString('utf8')
  const calendars = calendarsOf(utf8.includes('\ufffd') ? octets.toString('latin1') : utf8).filter(isListed)
  const documents = readFileSync(path, 'utf8')
    .trim()
    .split(/\n(?=\{)/)
    .map((text) => JSON.parse(text) as Expected)
  if (documents.length !== calendars.length) return `${documents.length} documents, but ${calendars.length} calendars`
  const faults = documents.flatMap((document, index) => calendarFaults(document, calendars[index]!))
  return faults.length === 0 ? null : faults.join('\n  ')
}

/** Calendars without a component that has a time are not in the JSON. */
function isListed(calendar: readonly Component[]): boolean {
  return calendar.some(
    ({ name, properties }) =>
      name === 'VEVENT' ||
      (TIMED.includes(name) &&
        properties.some((one) => /^(DTSTART|RECURRENCE-ID|DUE|CREATED|COMPLETED)$/.test(one.name))),
  )
}

function calendarFaults(document: Expected, calendar: readonly Component[]): string[] {
  const isWhole = document.events.length < LIMIT - exceptions(calendar)
  const replaced = new Set(calendar.flatMap((component) => instants(component, 'RECURRENCE-ID')))
  return [...calendar.entries()].flatMap(([index, component]) => {
    const start = one(component, 'DTSTART')
    if (!TIMED.includes(component.name) || start === null || localOf(start.value) === null) return []
    const events = document.events.filter(({ comp_id }) => comp_id === index)
    const isError = document.errors.some(({ comp_id }) => comp_id === index)
    try {
      const fault = componentFault(component, start, events, { isWhole, isError, replaced })
      return fault === null ? [] : [`component ${index}: ${fault}`]
    } catch (error) {
      return isError ? [] : [`component ${index}: ${String(error)}`]
    }
  })
}

type Context = { readonly isWhole: boolean; readonly isError: boolean; readonly replaced: ReadonlySet<number> }

/** The zone in which a component is expanded, and whether its instants are comparable or only what the clock there shows. */
type Clock = { readonly zone: string; readonly isExact: boolean }

/** calcard expands rules in UTC in its own zone, and knows more names of zones than those of IANA. */
function clockOf(component: Component, start: Property): Clock {
  const zone = zoneOf(start)
  const isNamed = start.parameters['TZID'] !== undefined
  if (zone === null && !isNamed) return { zone: FLOATING, isExact: true }
  const isExact = zone !== null && (isNamed || one(component, 'RRULE') === null)
  return { zone: zone ?? 'Etc/UTC', isExact }
}

function componentFault(
  component: Component,
  start: Property,
  events: Expected['events'],
  context: Context,
): string | null {
  const clock = clockOf(component, start)
  const isRule = one(component, 'RRULE') !== null
  const prepared = prepare(ruleSetOf(component, start, clock), { startOutsideRules: 'ignored' })
  const last = Math.max(...events.map((event) => Date.parse(`${event.start.slice(0, 19)}Z`)), Number.NEGATIVE_INFINITY)
  if (last === Number.NEGATIVE_INFINITY && !context.isWhole) return null
  const end = context.isWhole ? Math.max(last, Date.UTC(2000, 0)) + 10 * YEAR_MS : last + 1
  const work = new Work(Number.MAX_SAFE_INTEGER)
  const shown = (ms: number) => iso(ms + zoneOffsets(clock.zone).offsetAt(ms / 1_000, work) * 1_000)
  const hasEnd = endOf(component, start, clock) !== null
  const key = (wall: string, from: number, to: number) =>
    `${wall}${hasEnd ? ` for ${(to - from) / 1_000} s` : ''}${clock.isExact && wall < LAST_YEAR ? ` at ${iso(from)}Z` : ''}`
  const keep = (time: number) => !(isRule && context.replaced.has(time))
  const found = expand(prepared, { start: Date.UTC(1, 0), end: end + YEAR_MS }, { work })
    .filter((instance) => keep(instance.start) && Date.parse(`${shown(instance.start)}Z`) < end)
    .map((instance) => key(shown(instance.start), instance.start, instance.end))
  const wanted = events
    .filter((event) => keep(Date.parse(event.start)))
    .map((event) => key(event.start.slice(0, 19), Date.parse(event.start), Date.parse(event.end)))
  const [missing, extra] = [wanted.filter((one) => !found.includes(one)), found.filter((one) => !wanted.includes(one))]
  if (missing.length === 0 && extra.length === 0) return null
  const rule = one(component, 'RRULE')?.value ?? 'no rule'
  return `${rule} from ${start.value}: missing ${missing.slice(0, 3).join(', ')}; extra ${extra.slice(0, 3).join(', ')}`
}

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19)
}

function one(component: Component, name: string): Property | null {
  return component.properties.find((property) => property.name === name) ?? null
}

function all(component: Component, name: string): Property[] {
  return component.properties.filter((property) => property.name === name)
}

function instants(component: Component, name: string): number[] {
  return all(component, name).flatMap((property) => {
    const zone = zoneOf(property) ?? zoneOf(one(component, 'DTSTART') ?? property) ?? FLOATING
    const locals = property.value.split(',').map(localOf)
    return locals.filter((local) => local !== null).map((local) => utcOf(local, zone) * 1_000)
  })
}

function exceptions(calendar: readonly Component[]): number {
  return calendar.flatMap((component) => instants(component, 'EXDATE')).length
}

function ruleSetOf(component: Component, start: Property, clock: Clock): RuleSet {
  const duration = endOf(component, start, clock)
  const recurrenceOverrides: { [id: string]: { [path: string]: unknown } } = {}
  for (const property of all(component, 'RDATE')) {
    const zone = zoneOf(property) ?? clock.zone
    for (const [from, to] of property.value.split(',').map((value) => value.split('/'))) {
      const id = localOf(from!)
      const length = to === undefined ? null : periodLength(id, to, zone)
      if (id === null || (to !== undefined && length === null)) continue
      recurrenceOverrides[inZone(id, zone, clock.zone)] = length === null ? {} : { duration: length }
    }
  }
  for (const property of all(component, 'EXDATE')) {
    const ids = property.value
      .split(',')
      .map(localOf)
      .filter((id) => id !== null)
    for (const id of ids)
      recurrenceOverrides[inZone(id, zoneOf(property) ?? clock.zone, clock.zone)] = { excluded: true }
  }
  const rrule = one(component, 'RRULE')
  const times = { start: localOf(start.value)!, timeZone: clock.zone, ...(duration === null ? {} : { duration }) }
  if (rrule === null) return { ...times, recurrenceOverrides }
  return { ...times, recurrenceOverrides, recurrenceRule: ruleOf(rrule.value, null, !start.value.includes('T')) }
}

function periodLength(from: string | null, to: string, zone: string): string | null {
  if (to.startsWith('P')) return parseDuration(to) === null ? null : to
  const end = localOf(to)
  return from === null || end === null ? null : `PT${Math.max(0, utcOf(end, zone) - utcOf(from, zone))}S`
}

/**
 * The duration of a component; null: it has none that can be read. RFC 5545 3.6.1: then an event with a time ends when it begins; calcard
 * lets it last to the end of the day, so that ends are not compared.
 */
function endOf(component: Component, start: Property, { zone }: Clock): string | null {
  const end = one(component, 'DTEND')
  const isDate = !start.value.includes('T')
  const local = localOf(start.value)!
  const endLocal = end === null ? null : localOf(end.value)
  if (end !== null && endLocal !== null) {
    if (isDate && !end.value.includes('T'))
      return `P${Math.max(0, Math.round((Date.parse(`${endLocal}Z`) - Date.parse(`${local}Z`)) / 86_400_000))}D`
    const endZone = zoneOf(end) ?? (zoneOf(start) === 'Etc/UTC' ? FLOATING : zone)
    return `PT${Math.max(0, utcOf(endLocal, endZone) - utcOf(local, zone))}S`
  }
  const duration = one(component, 'DURATION')?.value
  if (duration !== undefined) return parseDuration(duration) === null ? null : duration
  return isDate ? 'P1D' : null
}
