/** Pages of events by start (decisions D4, E7). The place after an event holds although others come and go. */
import { instantOfLocal, localOfInstant } from '../../jmap/calendars/event/wall-time.ts'
import { formatLocal } from '../../jmap/calendars/jscalendar/date-times.ts'
import { isId } from '../../jmap/protocol/primitives.ts'
import { type Answers, get, idsOf, inOrder, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { Page as PageOf } from '../pagination/pages.ts'
import type { CalendarEventShape } from '../shapes/calendar-event.ts'
import type { CalendarPlace, OpenCalendar } from './open-calendar.ts'
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

type Page = Pick<PageOf<EventPlace>, 'after' | 'fetch'>

/** The first calls of a page, which seldom needs more. */
export function firstOfPage(place: CalendarPlace, window: Window, page: Page) {
  return callsFrom(place, window, firstPosition(page), firstLimit(page))
}

function firstLimit({ after, fetch }: Page): number {
  return fetch + (after ? OVERLAP : 0)
}

function firstPosition({ after }: Page): number {
  return after === null ? 0 : Math.max(0, after.position - OVERLAP)
}

type Read = Answers<ReturnType<typeof callsFrom>>

/** At most `page.fetch` events. @param first answers of `firstOfPage` */
export async function eventsOfPage(
  jmap: JmapClient,
  calendar: OpenCalendar,
  window: Window,
  page: Page,
  first: Read,
): Promise<Placed[]> {
  const { mailbox, zone } = calendar
  const { fetch } = page
  const found: Placed[] = []
  let position = firstPosition(page)
  let limit = firstLimit(page)
  let place = page.after
  let answers = first
  for (;;) {
    const shown = placed(answers, calendar, position)
    found.push(...(place ? afterPlace(shown, place) : shown).filter((event) => overlaps(event, window)))
    place = null
    const read = answers.matching.ids.length
    position += read
    if (found.length >= fetch || read < limit) return found.slice(0, fetch)
    limit = fetch
    answers = await jmap.call(callsFrom({ accountId: mailbox.id, zone }, window, position, limit))
  }
}

function afterPlace(shown: readonly Placed[], { id, start }: EventPlace): readonly Placed[] {
  const at = shown.findIndex((event) => event.id === id)
  return at >= 0 ? shown.slice(at + 1) : shown.filter((event) => event.start >= start)
}

function callsFrom({ accountId, zone }: CalendarPlace, window: Window, position: number, limit: number) {
  return {
    matching: query(
      'CalendarEvent',
      {
        accountId,
        filter: {
          after: localBefore(window.from, zone),
          before: localAfter(window.to, zone),
          // Other texts are refused when the calendars have been read.
          ...(window.calendarId !== undefined && isId(window.calendarId) && { inCalendar: window.calendarId }),
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
  }
}

function placed({ matching, events }: Read, calendar: OpenCalendar, position: number): Placed[] {
  const places = new Map(matching.ids.map((id, index) => [id, position + index]))
  return inOrder(matching.ids, events.list).map((event) => ({
    ...shownEvent(event, calendar),
    position: places.get(event.id) ?? 0,
  }))
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
