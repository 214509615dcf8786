/**
 * JSCalendar events to iCalendar text (draft-ietf-calext-jscalendar-icalendar-25, section 3), with the time zones that they use, for
 * Outlook and Apple, which do not look names up.
 */

import { ICALENDAR_WRITTEN_MAX_CHARS } from '../../../server/base/icalendar-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { ICalendarError } from './faults.ts'
import type { Component, Property } from './jcal.ts'
import { eventComponents } from './write-event.ts'
import { property } from './write-scope.ts'
import { componentLines } from './write-text.ts'
import { ZoneSpans } from './write-zones.ts'

export interface WriteOptions {
  /** UTCDateTime: DTSTAMP of events that do not say when they were changed. */
  readonly now: string
  readonly prodId: string
  /** A method of RFC 5546 in any case: the text is a scheduling message. */
  readonly method?: string
  /** Members that iCalendar has not are written as JSPROP. Absent: true, but not in scheduling messages. */
  readonly lossless?: boolean
  /** Called after each event; it may throw to end the writing. */
  readonly check?: () => void
  /** Of the calendar. */
  readonly name?: string
  readonly color?: string
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
  let size = 0
  for (const event of events) {
    options.check?.()
    for (const component of eventComponents(event, scope)) {
      for (const line of componentLines(component)) {
        size += line.length
        if (size > ICALENDAR_WRITTEN_MAX_CHARS)
          throw new ICalendarError('The calendar is too large to be written as one text.')
        body.push(line)
      }
    }
  }
  // Some programs read a zone only before its use.
  const root: Component = {
    name: 'vcalendar',
    properties: headerOf(options, method),
    components: zones.components(),
    line: 0,
  }
  const lines = [...componentLines(root)]
  const end = lines.pop() ?? ''
  return [...lines, ...body, end].join('')
}

function headerOf({ prodId, name, color }: WriteOptions, method: string | null): Property[] {
  const properties = [
    property('version', 'text', '2.0'),
    property('prodid', 'text', prodId),
    property('calscale', 'text', 'GREGORIAN'),
  ]
  if (method !== null) properties.push(property('method', 'text', method))
  if (name !== undefined) properties.push(property('name', 'text', name), property('x-wr-calname', 'text', name))
  if (color !== undefined) properties.push(property('color', 'text', color))
  return properties
}
