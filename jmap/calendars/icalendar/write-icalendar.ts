/**
 * JSCalendar events to iCalendar text (draft-ietf-calext-jscalendar-icalendar-25, section 3), with the time zones that they use, for
 * Outlook and Apple, which do not look names up.
 */
import { ICALENDAR_WRITTEN_MAX_CHARS } from '../../../server/base/icalendar-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { ICalendarError } from './faults.ts'
import type { Component, Property } from './jcal.ts'
import { type CalendarWriteScope, eventComponents } from './write-event.ts'
import { property } from './write-scope.ts'
import { componentLines } from './write-text.ts'
import { ZoneSpans } from './write-zones.ts'

/** What stands before the events of a text. */
export interface Header {
  readonly prodId: string
  /** Of the calendar. */
  readonly name?: string | undefined
  readonly color?: string | undefined
  /** A Duration: how often subscribers should read the text again (RFC 7986 5.7). */
  readonly refresh?: string
}

export interface WriteOptions extends Header {
  /** UTCDateTime: DTSTAMP of events that do not say when they were changed. */
  readonly now: string
  /** A method of RFC 5546 in any case: the text is a scheduling message. */
  readonly method?: string
  /** Members that iCalendar has not are written as JSPROP. Absent: true, but not in scheduling messages. */
  readonly lossless?: boolean
  /** Characters of the text. Absent: what one file may have. */
  readonly maxChars?: number
  /** Called after each event; it may throw to end the writing. */
  readonly check?: () => void
}

/**
 * One VCALENDAR. An event with `recurrenceId` is an instance alone (`instanceEvent`), as in a message about one.
 * @throws ICalendarError if the text becomes too large
 */
export function writeICalendar(events: Iterable<JsonObject>, options: WriteOptions): string {
  const zones = new ZoneSpans()
  const method = options.method?.toUpperCase() ?? null
  const scope = { zones, lossless: options.lossless ?? method === null, now: options.now }
  const body: string[] = []
  let room = options.maxChars ?? ICALENDAR_WRITTEN_MAX_CHARS
  for (const event of events) {
    options.check?.()
    const text = eventText(event, scope, room)
    if (text === null) throw new ICalendarError('The calendar is too large to be written as one text.')
    room -= text.length
    body.push(text)
  }
  // Some programs read a zone only before its use.
  const zoneLines = zones.components().flatMap((zone) => [...componentLines(zone)])
  return [...headLines(options, method), ...zoneLines, ...body, CALENDAR_END].join('')
}

/** The last line of a text. */
export const CALENDAR_END = 'END:VCALENDAR\r\n'

/** The first lines of a text. @param method in upper case; null: it is no scheduling message */
export function headLines(header: Header, method: string | null = null): string[] {
  const root: Component = { name: 'vcalendar', properties: headerOf(header, method), components: [], line: 0 }
  return [...componentLines(root)].slice(0, -1)
}

/** The components of an event; null: they have more than `maxChars`. */
export function eventText(event: JsonObject, scope: CalendarWriteScope, maxChars: number): string | null {
  const lines: string[] = []
  let size = 0
  for (const component of eventComponents(event, scope)) {
    for (const line of componentLines(component)) {
      size += line.length
      if (size > maxChars) return null
      lines.push(line)
    }
  }
  return lines.join('')
}

function headerOf({ prodId, name, color, refresh }: Header, method: string | null): Property[] {
  const properties = [
    property('version', 'text', '2.0'),
    property('prodid', 'text', prodId),
    property('calscale', 'text', 'GREGORIAN'),
  ]
  if (method !== null) properties.push(property('method', 'text', method))
  if (name !== undefined) properties.push(property('name', 'text', name), property('x-wr-calname', 'text', name))
  if (color !== undefined) properties.push(property('color', 'text', color))
  // Outlook reads the older name.
  if (refresh !== undefined)
    properties.push(property('refresh-interval', 'duration', refresh), property('x-published-ttl', 'duration', refresh))
  return properties
}
