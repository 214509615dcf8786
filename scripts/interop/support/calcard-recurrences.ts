/**
 * calcard's expansions: for each iCalendar file the first 100 instances of its components, by their place in the file. Compared are the
 * instances of each component as a set, since an instance is identified by its time: calcard lists a start twice that is also an RDATE.
 * Floating times and zones that are no IANA names are in Pacific/Auckland there.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expand } from '../../../jmap/calendars/recurrence/expand.ts'
import { parseLocal } from '../../../jmap/calendars/recurrence/local-time.ts'
import { prepare, type RuleSet } from '../../../jmap/calendars/recurrence/prepare.ts'
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

function componentFault(
  component: Component,
  start: Property,
  events: Expected['events'],
  context: Context,
): string | null {
  const isRule = one(component, 'RRULE') !== null
  const prepared = prepare(ruleSetOf(component, start), { startOutsideRules: 'ignored' })
  const last = Math.max(...events.map((event) => Date.parse(event.start)), Number.NEGATIVE_INFINITY)
  const range = { start: Date.UTC(1, 0), end: context.isWhole ? Date.UTC(2_199, 0) : last + 1 }
  if (range.end < range.start) return null
  const keep = (time: number) => !(isRule && context.replaced.has(time))
  const found = expand(prepared, range, { floatingZone: FLOATING })
    .filter((instance) => keep(instance.start))
    .map(({ start: from, end }) => `${iso(from)}/${iso(end)}`)
  const hasEnd = ['DTEND', 'DURATION'].some((name) => one(component, name) !== null) || !start.value.includes('T')
  const wanted = events
    .filter((event) => keep(Date.parse(event.start)))
    .map((event) => `${iso(Date.parse(event.start))}/${iso(Date.parse(event.end))}`)
  // RFC 5545 3.6.1: without an end an event with a time ends when it begins; calcard lets it last to the end of the day.
  const comparable = (times: readonly string[]) =>
    [...new Set(hasEnd ? times : times.map((time) => time.split('/')[0]!))].sort()
  const [a, b] = [comparable(found), comparable(wanted)]
  if (a.join() === b.join()) return null
  const missing = b.filter((time) => !a.includes(time))
  const extra = a.filter((time) => !b.includes(time))
  return `${one(component, 'RRULE')?.value ?? 'no rule'} from ${start.value}: missing ${missing.slice(0, 4).join(' ')}; extra ${extra.slice(0, 4).join(' ')}`
}

function iso(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19)
}

function one(component: Component, name: string): Property | null {
  return component.properties.find((property) => property.name === name) ?? null
}

function instants(component: Component, name: string): number[] {
  return component.properties
    .filter((property) => property.name === name)
    .flatMap((property) => {
      const zone = zoneOf(property) ?? zoneOf(one(component, 'DTSTART') ?? property) ?? FLOATING
      return property.value
        .split(',')
        .map((value) => localOf(value))
        .filter((local) => local !== null)
        .map((local) => utcOf(local, zone) * 1_000)
    })
}

function exceptions(calendar: readonly Component[]): number {
  return calendar.flatMap((component) => instants(component, 'EXDATE')).length
}

function ruleSetOf(component: Component, start: Property): RuleSet {
  const timeZone = zoneOf(start)
  const zone = timeZone ?? FLOATING
  const local = localOf(start.value)!
  const rrule = one(component, 'RRULE')
  const recurrenceOverrides: { [id: string]: { [path: string]: unknown } } = {}
  for (const property of component.properties.filter(({ name }) => name === 'RDATE')) {
    for (const value of property.value.split(',')) {
      const [from, to] = value.split('/')
      const id = localOf(from!)
      if (id === null || (to !== undefined && !to.startsWith('P') && localOf(to) === null)) continue
      recurrenceOverrides[inZone(id, zoneOf(property) ?? zone, zone)] =
        to === undefined
          ? {}
          : { duration: to.startsWith('P') ? to : between(id, localOf(to)!, zoneOf(property) ?? zone) }
    }
  }
  for (const property of component.properties.filter(({ name }) => name === 'EXDATE')) {
    for (const value of property.value.split(',')) {
      const id = localOf(value)
      if (id !== null) recurrenceOverrides[inZone(id, zoneOf(property) ?? zone, zone)] = { excluded: true }
    }
  }
  return {
    start: local,
    timeZone,
    duration: durationOf(component, start, zone),
    recurrenceOverrides,
    ...(rrule === null ? {} : { recurrenceRule: ruleIn(rrule.value, zone) }),
  }
}

function ruleIn(text: string, zone: string): NonNullable<RuleSet['recurrenceRule']> {
  const { rule, isUntilUtc } = ruleOf(text)
  return isUntilUtc && rule.until !== undefined ? { ...rule, until: inZone(rule.until, 'Etc/UTC', zone) } : rule
}

function between(from: string, to: string, zone: string): string {
  return `PT${Math.max(0, utcOf(to, zone) - utcOf(from, zone))}S`
}

function durationOf(component: Component, start: Property, zone: string): string {
  const end = one(component, 'DTEND')
  const local = localOf(start.value)!
  const endLocal = end === null ? null : localOf(end.value)
  if (end !== null && endLocal !== null) {
    if (!start.value.includes('T')) return `P${Math.max(0, (parseLocal(endLocal)! - parseLocal(local)!) / 86_400)}D`
    return `PT${Math.max(0, utcOf(endLocal, zoneOf(end) ?? zone) - utcOf(local, zone))}S`
  }
  const duration = one(component, 'DURATION')
  if (duration !== null) return duration.value.replace(/^\+/, '')
  return start.value.includes('T') ? 'PT0S' : 'P1D'
}
