/**
 * The events of calendars as one iCalendar text, page by page, so that a text of any size takes little memory and no thread for long. Pages
 * joined in their order are one VCALENDAR: time zones stand before their first use. Each page is read in a transaction of its own; an event
 * that changes meanwhile is there once, in its old or new form.
 */
import {
  EXPORT_EVENT_MAX_CHARS,
  EXPORT_PAGE_CHARS,
  EXPORT_PAGE_ZONES,
  EXPORT_STEP_EVENTS,
} from '../../../server/base/calendar-exchange-limits.ts'
import type { Guard } from '../../../server/base/guard.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { Reader } from '../../../storage/ports.ts'
import { calendarEventsAfter, startsOfEvents } from '../../../storage/repos/calendar-event-pages.ts'
import { eventOfRow, type StoredEvent } from '../event/stored-event.ts'
import { CALENDAR_END, eventText, type Header, headLines } from '../icalendar/write-icalendar.ts'
import { componentLines } from '../icalendar/write-text.ts'
import { ZoneSpans, zoneComponent } from '../icalendar/write-zones.ts'
import { formatUTC } from '../jscalendar/date-times.ts'
import { firstPlace, type TextPlace } from './text-place.ts'

export interface CalendarText {
  readonly account: number
  /** null: all calendars. */
  readonly calendar: number | null
  readonly header: Header
  /** Whether members that iCalendar has not are written too. */
  readonly lossless: boolean
  /** The event as readers of the text may see it; null: they may not. */
  readonly shown: (stored: StoredEvent) => JsonObject | null
  /** Epoch ms. */
  readonly now: number
}

export interface TextPage {
  readonly text: string
  /** null: it was the last page. */
  readonly next: TextPlace | null
  /** uids of events that are too large for a text, because so many instances differ. */
  readonly leftOut: readonly string[]
}

/** @param after null: the first page */
export async function readTextPage(
  reader: Reader,
  asked: CalendarText,
  after: TextPlace | null,
  guard: Guard,
): Promise<TextPage> {
  const { account, calendar, now } = asked
  const begin = after ?? firstPlace(await startsOfEvents(reader, account), now)
  const page = new Page(asked, begin)
  if (after === null) page.add(headLines(asked.header).join(''))
  for (let event = begin.event; ; ) {
    guard.check()
    const rows = await calendarEventsAfter(reader, account, { calendar, after: event, limit: EXPORT_STEP_EVENTS })
    for (const row of rows) {
      event = row.id
      page.addEvent(eventOfRow(row))
      if (page.isFull) return page.ended({ event })
    }
    if (rows.length < EXPORT_STEP_EVENTS) return page.ended(null)
  }
}

class Page {
  readonly #asked: CalendarText
  readonly #begin: TextPlace
  readonly #zones: Set<string>
  readonly #leftOut: string[] = []
  readonly #parts: string[] = []
  #size = 0

  constructor(asked: CalendarText, begin: TextPlace) {
    this.#asked = asked
    this.#begin = begin
    this.#zones = new Set(begin.zones)
  }

  get isFull(): boolean {
    return this.#size >= EXPORT_PAGE_CHARS || this.#zones.size - this.#begin.zones.length >= EXPORT_PAGE_ZONES
  }

  add(text: string): void {
    this.#parts.push(text)
    this.#size += text.length
  }

  addEvent(stored: StoredEvent): void {
    const { shown, lossless, now } = this.#asked
    const event = shown(stored)
    if (event === null) return
    const zones = new ZoneSpans()
    const scope = { zones, lossless, now: formatUTC(Math.floor(now / 1000) * 1000) }
    const text = eventText(event, scope, EXPORT_EVENT_MAX_CHARS)
    if (text === null) {
      this.#leftOut.push(stored.event.uid)
      return
    }
    const [first, last] = this.#begin.years
    for (const zone of zones.names) {
      if (this.#zones.has(zone)) continue
      this.#zones.add(zone)
      this.add([...componentLines(zoneComponent(zone, first, last))].join(''))
    }
    this.add(text)
  }

  /** @param at null: there are no more events */
  ended(at: { readonly event: number } | null): TextPage {
    if (at === null) this.add(CALENDAR_END)
    const { years } = this.#begin
    return {
      text: this.#parts.join(''),
      next: at && { event: at.event, zones: [...this.#zones], years },
      leftOut: this.#leftOut,
    }
  }
}
