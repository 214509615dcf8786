/**
 * iCalendar text to JSCalendar events (draft-ietf-calext-jscalendar-icalendar-25, section 2). The work is linear in the input, and the
 * input is bounded (server/base/icalendar-limits.ts); what takes long runs in a message thread.
 */
import { quote } from '../../protocol/json-object.ts'
import type { Event } from '../jscalendar/event.ts'
import { Comparisons } from './comparisons.ts'
import { isUnread, readComponents, readUnread, type UnreadEvent } from './components.ts'
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
  const { head, events, summary } = openICalendar(input, options)
  const all = [...events]
  return { ...head, events: all, ...summary() }
}

/** A calendar whose events are read one series after the other: of thousands only one is an object at a time. */
export interface OpenCalendar {
  readonly head: Pick<ReadCalendar, 'method' | 'prodId' | 'name' | 'color'>
  readonly events: Iterable<Event>
  /** After the last event. */
  summary(): Pick<ReadCalendar, 'faults' | 'faultCount' | 'leftOut'>
}

/** @throws ICalendarError as `readICalendar`, also while the events are read */
export function openICalendar(input: Uint8Array | string, options: ReadOptions): OpenCalendar {
  const faults = new Faults()
  const calendars = readComponents(input, faults, options.check ?? (() => {}))
  const [first] = calendars
  const method = methodOf(calendars, faults)
  const text = (...names: readonly string[]) =>
    names.reduce<string | null>((found, name) => found ?? (first === undefined ? null : firstText(first, name)), null)
  return {
    head: {
      method,
      prodId: text('prodid'),
      name: text('name', 'x-wr-calname'),
      color: text('color', 'x-apple-calendar-color'),
    },
    events: readSeries(calendars, method, options, faults),
    summary: () => ({ faults: faults.list, faultCount: faults.count, leftOut: faults.leftOut }),
  }
}

/** An event that is not read yet, with what its calendar says. */
interface Unread {
  readonly component: UnreadEvent
  readonly scope: CalendarScope
  readonly organizers: ReadonlyMap<string, Property>
}

function* readSeries(
  calendars: readonly Component[],
  method: string | null,
  options: ReadOptions,
  faults: Faults,
): Generator<Event> {
  const shared = { faults, expansions: new Expansions(), comparisons: new Comparisons() }
  const series = new Map<string, Unread[]>()
  for (const calendar of calendars) collectParts(calendar, { ...options, ...shared }, series)
  // RFC 5546 3.2.5: a cancellation from an instance on begins nothing; answers are about what there is.
  const split = method === null || method === 'publish' || method === 'request'
  for (const unread of series.values()) {
    const parts: ReadEvent[] = []
    for (const { component, scope, organizers } of unread) {
      options.check?.()
      const tree = readUnread(component, faults)
      addOrganizer(tree, organizers)
      const part = readPart(tree, method, scope)
      if (part !== null) parts.push(part)
    }
    if (parts.length > 0) for (const event of joinSeries(parts, shared, split)) yield event as Event
  }
}

/** Adds the events of a calendar to those of the same UID. */
function collectParts(
  calendar: Component,
  options: ReadOptions & Omit<CalendarScope, 'zones'>,
  series: Map<string, Unread[]>,
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
  for (const component of calendar.components) {
    if (isUnread(component)) {
      const uid = component.known.uid ?? uidOfText(readUnread(component, new Faults()))
      const parts = series.get(uid)
      if (parts === undefined) series.set(uid, [{ component, scope, organizers }])
      else parts.push({ component, scope, organizers })
    } else if (component.name !== 'vtimezone')
      faults.part(
        component.line,
        `${component.name.toUpperCase()} is no event and is left out.`,
        firstText(component, 'uid'),
      )
  }
}

/** ORGANIZER of each series, by UID. */
function organizersOf(calendar: Component): ReadonlyMap<string, Property> {
  const found = new Map<string, Property>()
  for (const component of calendar.components) {
    if (!isUnread(component)) continue
    const { uid, organizer, isInstance } = component.known
    if (uid != null && organizer !== undefined && !isInstance) found.set(uid, organizer)
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
  // RFC 5545 3.6.1 asks for both.
  for (const name of ['uid', 'dtstamp']) {
    if (firstProperty(component, name) === undefined)
      scope.faults.property(component.line, `The VEVENT has no ${name.toUpperCase()}.`)
  }
  try {
    const part = readEvent(component, given ?? uidOfText(component), scope)
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

/** Without a UID the same text gives the same event. */
function uidOfText(component: Component): string {
  return uuidOf(JSON.stringify(componentToJCal(component)))
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
    const year = isUnread(component) ? component.known.year : undefined
    if (year !== undefined && !Number.isNaN(year)) return year
  }
  return 2020
}
