/**
 * iCalendar text to JSCalendar events (draft-ietf-calext-jscalendar-icalendar-25, section 2). The work is linear in the input, and the
 * input is bounded (server/base/icalendar-limits.ts); what takes long runs in a message thread.
 */
import { quote } from '../../protocol/json-object.ts'
import type { Event } from '../jscalendar/event.ts'
import { Comparisons } from './comparisons.ts'
import { readComponents } from './components.ts'
import { type Fault, Faults, ICalendarError } from './faults.ts'
import { uuidOf } from './ids.ts'
import { type Component, componentToJCal, type Property, textOf } from './jcal.ts'
import { type ReadEvent, readEvent } from './read-event.ts'
import { type CalendarScope, EventFault } from './read-scope.ts'
import { joinSeries } from './series.ts'
import { Expansions } from './series-dates.ts'
import { Zones } from './zone-names.ts'

export interface ReadOptions {
  /** UTCDateTime for events that do not say when they were made. */
  readonly now: string
  /** Called after each component; it may throw to end the reading. */
  readonly check?: () => void
}

export interface ReadCalendar {
  /** METHOD in lower case (RFC 5546); null: no scheduling message. */
  readonly method: string | null
  readonly prodId: string | null
  /** NAME (RFC 7986 5.1) or X-WR-CALNAME. */
  readonly name: string | null
  readonly color: string | null
  /**
   * In the order of the text. `start` is missing only in scheduling messages that need none (RFC 5546 3.2). No event has `method` or
   * `prodId`.
   */
  readonly events: readonly Event[]
  /** At most ICALENDAR_MAX_FAULTS; `faultCount` has all. Tasks, journals and free-busy times count as left out. */
  readonly faults: readonly Fault[]
  readonly faultCount: number
  /** Events, tasks and other parts that are not among `events`. */
  readonly leftOut: number
}

/** @throws ICalendarError if the text is no iCalendar or exceeds the limits; nothing else is thrown but what `check` throws */
export function readICalendar(input: Uint8Array | string, options: ReadOptions): ReadCalendar {
  const faults = new Faults()
  const calendars = readComponents(input, faults, options.check ?? (() => {}))
  const [first] = calendars
  const method = methodOf(calendars, faults)
  const series = new Map<string, ReadEvent[]>()
  const scope = { faults, expansions: new Expansions(), comparisons: new Comparisons() }
  for (const calendar of calendars) readParts(calendar, method, { ...options, ...scope }, series)
  // RFC 5546 3.2.5: a cancellation from an instance on begins nothing; answers are about what there is.
  const split = method === null || method === 'publish' || method === 'request'
  const events = [...series.values()].flatMap((parts) => joinSeries(parts, scope, split)).map((event) => event as Event)
  return {
    method,
    prodId: first === undefined ? null : firstText(first, 'prodid'),
    name: first === undefined ? null : (firstText(first, 'name') ?? firstText(first, 'x-wr-calname')),
    color: first === undefined ? null : (firstText(first, 'color') ?? firstText(first, 'x-apple-calendar-color')),
    events,
    faults: faults.list,
    faultCount: faults.count,
    leftOut: faults.leftOut,
  }
}

/** Adds the events of a calendar to those of the same UID. */
function readParts(
  calendar: Component,
  method: string | null,
  options: ReadOptions & Omit<CalendarScope, 'zones'>,
  series: Map<string, ReadEvent[]>,
): void {
  const { faults } = options
  const scope: CalendarScope = { ...options, zones: new Zones(calendar, firstYear(calendar), faults) }
  // RFC 5545 3.7.1: other calendar scales do not exist yet.
  const scale = firstText(calendar, 'calscale')
  if (scale !== null && scale.toUpperCase() !== 'GREGORIAN') {
    throw new ICalendarError(`The calendar scale ${quote(scale)} is not supported.`)
  }
  // RFC 5545 3.6
  for (const name of ['prodid', 'version']) {
    if (firstProperty(calendar, name) === undefined)
      faults.property(calendar.line, `The VCALENDAR has no ${name.toUpperCase()}.`)
  }
  const organizers = organizersOf(calendar)
  for (const component of emptied(calendar.components)) {
    options.check?.()
    if (component.name !== 'vevent') {
      if (component.name !== 'vtimezone')
        faults.part(component.line, `${component.name.toUpperCase()} is no event and is left out.`, uidOf(component))
      continue
    }
    addOrganizer(component, organizers)
    const part = readPart(component, method, scope)
    if (part === null) continue
    const uid = String(part.event['uid'])
    const parts = series.get(uid)
    if (parts === undefined) series.set(uid, [part])
    else parts.push(part)
  }
}

/** The components, none of which is kept once it was given: their trees take ten times the text. */
function* emptied(components: Component[]): Generator<Component> {
  components.reverse()
  for (let next = components.pop(); next !== undefined; next = components.pop()) yield next
}

/** ORGANIZER of each series, by UID. */
function organizersOf(calendar: Component): ReadonlyMap<string, Property> {
  const found = new Map<string, Property>()
  for (const component of calendar.components) {
    const uid = component.name === 'vevent' ? firstText(component, 'uid') : null
    const organizer = firstProperty(component, 'organizer')
    const isSeries = firstProperty(component, 'recurrence-id') === undefined
    if (uid !== null && organizer !== undefined && isSeries) found.set(uid, organizer)
  }
  return found
}

/** An instance with attendees has the organizer of its series, if it says none (RFC 5545 3.8.4.3 asks for one). */
function addOrganizer(component: Component, organizers: ReadonlyMap<string, Property>): void {
  const organizer = organizers.get(firstText(component, 'uid') ?? '')
  const has = (name: string) => firstProperty(component, name) !== undefined
  if (organizer !== undefined && has('recurrence-id') && has('attendee') && !has('organizer'))
    component.properties.push(organizer)
}

/** The method of all calendars of a text. A scheduling message has one calendar (RFC 6047 2.1). */
function methodOf(calendars: readonly Component[], faults: Faults): string | null {
  const [method = null, ...others] = new Set(
    calendars.map((calendar) => firstText(calendar, 'method')?.toLowerCase() ?? null),
  )
  if (others.length === 0) return method
  faults.property(calendars[1]?.line ?? 0, 'The calendars of the text have different methods; none has an effect.')
  return null
}

/** One VEVENT; null: it is left out. */
function readPart(component: Component, method: string | null, scope: CalendarScope): ReadEvent | null {
  const given = uidOf(component)
  // RFC 5545 3.6.1 asks for both. Without a UID the same text gives the same event.
  for (const name of ['uid', 'dtstamp']) {
    if (firstProperty(component, name) === undefined)
      scope.faults.property(component.line, `The VEVENT has no ${name.toUpperCase()}.`)
  }
  try {
    const part = readEvent(component, given ?? uuidOf(JSON.stringify(componentToJCal(component))), scope)
    // RFC 5545 3.6.1: DTSTART is required where there is no METHOD; RFC 5546 3.2 leaves it out of some messages.
    if (
      part.form === null &&
      part.instance === null &&
      (method === null || method === 'publish' || method === 'request')
    ) {
      scope.faults.part(component.line, 'The VEVENT has no DTSTART that can be read.', given)
      return null
    }
    return part
  } catch (error) {
    if (!(error instanceof EventFault)) throw error
    scope.faults.part(component.line, error.message, given)
    return null
  }
}

function uidOf(component: Component): string | null {
  return firstText(component, 'uid')
}

function firstProperty(component: Component, name: string): Property | undefined {
  return component.properties.find((property) => property.name === name)
}

function firstText(component: Component, name: string): string | null {
  const property = firstProperty(component, name)
  const text = property === undefined ? '' : (textOf(property)?.trim() ?? '')
  return text === '' ? null : text
}

/** The year of the first event, around which unknown zones are compared. */
function firstYear(calendar: Component): number {
  for (const component of calendar.components) {
    const start = component.name === 'vevent' ? firstProperty(component, 'dtstart') : undefined
    const year = start === undefined ? Number.NaN : Number(textOf(start)?.slice(0, 4))
    if (!Number.isNaN(year)) return year
  }
  return 2020
}
