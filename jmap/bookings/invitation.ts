/** The event of a booking as iCalendar, for invitees and guests. */

import { writeICalendar } from '../calendars/icalendar/write-icalendar.ts'
import type { Event } from '../calendars/jscalendar/event.ts'
import type { BookingData } from './booking.ts'
import { shownEvent } from './booking-event.ts'

const PROD_ID = '-//Posthouse//Bookings//EN'

export interface Invitation {
  readonly method: 'REQUEST' | 'CANCEL'
  readonly text: string
}

/** A scheduling message (RFC 5546 3.2). */
export function invitation(event: Event, data: BookingData, method: Invitation['method']): Invitation {
  return { method, text: write(event, data, { method }) }
}

/** A file for a calendar program: no message, so that opening it answers nobody. */
export function calendarFile(event: Event, data: BookingData): string {
  return write(event, data, {})
}

function write(event: Event, { page }: BookingData, options: { readonly method?: string }): string {
  const shown = { ...shownEvent(event, page.name) }
  return writeICalendar([shown], {
    now: event.updated ?? event.created ?? '1970-01-01T00:00:00Z',
    prodId: PROD_ID,
    ...options,
  })
}
