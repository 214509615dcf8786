/** Pages of events by start (decisions D4, E7). The place after an event holds although others come and go. */
import { instantOfLocal, localOfInstant } from '../../jmap/calendars/event/wall-time.ts'
import { formatLocal } from '../../jmap/calendars/jscalendar/date-times.ts'
import { get, idsOf, inOrder, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { Page } from '../pagination/pages.ts'
import type { CalendarEventShape } from '../shapes/calendar-event.ts'
import type { OpenCalendar } from './open-calendar.ts'
import { EVENT_PROPERTIES, shownEvent } from './shown-event.ts'

export interface EventPlace {
  readonly id: string
  readonly start: string
  /** In the whole list, when the page was made. */
  readonly position: number
}

export interface Window {
  /** Epoch ms */
  readonly from: number
  readonly to: number
  readonly expand: boolean
  readonly calendarId: string | undefined
}

/** Events before the place that are read again, to find the place although some before it were removed. */
const OVERLAP = 50

export type Placed = CalendarEventShape & { readonly position: number }

/** At most `page.fetch` events. */
export async function eventsOfPage(
  jmap: JmapClient,
  calendar: OpenCalendar,
  window: Window,
  { after, fetch }: Page<EventPlace>,
): Promise<Placed[]> {
  const found: Placed[] = []
  let position = after === null ? 0 : Math.max(0, after.position - OVERLAP)
  let place = after
  for (;;) {
    const { shown, read } = await readFrom(jmap, calendar, window, position, fetch + (place ? OVERLAP : 0))
    found.push(...(place ? afterPlace(shown, place) : shown).filter((event) => overlaps(event, window)))
    place = null
    position += read
    if (found.length >= fetch || read === 0) return found.slice(0, fetch)
  }
}

function afterPlace(shown: readonly Placed[], { id, start }: EventPlace): readonly Placed[] {
  const at = shown.findIndex((event) => event.id === id)
  return at >= 0 ? shown.slice(at + 1) : shown.filter((event) => event.start >= start)
}

async function readFrom(jmap: JmapClient, calendar: OpenCalendar, window: Window, position: number, limit: number) {
  const { zone, mailbox } = calendar
  const accountId = mailbox.id
  const { matching, events } = await jmap.call({
    matching: query(
      'CalendarEvent',
      {
        accountId,
        filter: {
          after: localBefore(window.from, zone),
          before: localAfter(window.to, zone),
          ...(window.calendarId !== undefined && { inCalendar: window.calendarId }),
        },
        sort: [{ property: 'start', isAscending: true }],
        position,
        limit,
      },
      { expandRecurrences: window.expand, timeZone: zone },
    ),
    events: get('CalendarEvent', {
      accountId,
      '#ids': idsOf('matching', 'CalendarEvent'),
      properties: EVENT_PROPERTIES,
    }),
  })
  const places = new Map(matching.ids.map((id, index) => [id, position + index]))
  const shown = inOrder(matching.ids, events.list).map((event) => ({
    ...shownEvent(event, calendar),
    position: places.get(event.id) ?? 0,
  }))
  return { shown, read: matching.ids.length }
}

/** JMAP asks in local times. When clocks are set back a local time passes twice: then one that is surely not later. */
function localBefore(instant: number, zone: string): string {
  return formatLocal(localOfInstant(Math.floor(instant / 1000) * 1000, zone))
}

/** One that is surely not earlier. */
function localAfter(instant: number, zone: string): string {
  const whole = Math.ceil(instant / 1000) * 1000
  const local = localOfInstant(whole, zone)
  return formatLocal(local + Math.max(0, whole - instantOfLocal(local, zone)))
}

/** Of a series: some instance does. */
function overlaps(event: Placed, { from, to, expand }: Window): boolean {
  if (event.all_day || (event.recurrence !== null && !expand)) return true
  const [start, end] = [Date.parse(event.start), Date.parse(event.end)]
  return start < to && (end > from || (end === start && start === from))
}
