/** An event as the core handles it: the JSCalendar object, and what JMAP adds. */
import type { CalendarEventRow } from '../../../storage/repos/calendar-events.ts'
import type { Event } from '../jscalendar/event.ts'

export interface StoredEvent {
  readonly number: number
  /** Numbers of its calendars, ascending. */
  readonly calendars: readonly number[]
  readonly isDraft: boolean
  /** Another number after each change, set when it is written (store-event.ts). */
  readonly revision: number
  readonly event: Event
}

export function eventOfRow({ id, calendars, is_draft, revision, data }: CalendarEventRow): StoredEvent {
  return {
    number: id,
    calendars: calendarsOf(calendars),
    isDraft: is_draft === 1,
    revision,
    // It was checked when it was stored.
    event: JSON.parse(data),
  }
}

/** The column: comma-separated numbers. */
export function calendarsOf(column: string): number[] {
  return column === '' ? [] : column.split(',').map(Number)
}
