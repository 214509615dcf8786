/** A booking: what is stored, and what its invitee may see. */
import type { BookingTable } from '../../storage/schema/tables.ts'
import type { ConferencingProvider } from '../calendars/jscalendar/conferencing.ts'
import type { Services } from '../type/context.ts'
import { BookingPage } from './booking-page.type.ts'
import type { PageRules } from './page-slots.ts'
import type { PublicPage } from './public-page.ts'

export const BOOKING_ID = { idPrefix: 'bkg' } as const

/** What an invitee sends, checked by the page. */
export interface BookingRequest {
  /** Epoch ms. */
  readonly start: number
  readonly name: string
  readonly email: string
  /** IANA zone of the invitee. */
  readonly timezone: string
  readonly notes: string | null
  readonly guests: readonly string[]
  /** Language of the mails. */
  readonly language: string
  /** Where the invitee reached the server: links in mails begin with it. */
  readonly baseUrl: string
}

/** The column `data`. */
export interface BookingData extends Omit<BookingRequest, 'start'> {
  readonly page: {
    readonly name: string
    readonly rules: PageRules
    /** The provider of its meetings; null: none. */
    readonly conferencing: ConferencingProvider | null
  }
  /** Of the event. */
  readonly uid: string
  readonly reason?: string
}

export function dataOf({ data }: Pick<BookingTable, 'data'>): BookingData {
  return JSON.parse(data)
}

/** The meeting of a booking: its link, that it follows, that there will be none from the provider. null: none was to be made. */
export type MeetingLink = { readonly url: string } | 'pending' | 'failed' | null

/** What the holder of a link sees. */
export interface PublicBooking {
  readonly id: string
  readonly token: string
  readonly status: 'pending' | 'confirmed' | 'cancelled'
  /** Epoch ms. */
  readonly start: number
  readonly end: number
  readonly timezone: string
  readonly name: string
  readonly email: string
  readonly notes: string | null
  readonly guests: readonly string[]
  readonly meeting: MeetingLink
  readonly page: Pick<
    PublicPage,
    'name' | 'host' | 'organization' | 'durationMinutes' | 'maxAdvanceDays' | 'embedOrigins'
  >
  /** Public path of the page, if it is still there. */
  readonly pagePath: string | null
}

/** How a request of an invitee ended. `gone`: there is no such page or booking. `taken`: the time is not free. */
export type Outcome =
  | { readonly outcome: 'done'; readonly booking: PublicBooking }
  | { readonly outcome: 'pending' | 'gone' | 'taken' }

/** Data of the events booking.created, booking.rescheduled and booking.cancelled (decision D34). */
export function bookingEvent(
  { ids }: Pick<Services, 'ids'>,
  row: Pick<BookingTable, 'account' | 'organization' | 'id' | 'page' | 'start_at' | 'end_at'>,
  { name, email }: BookingData,
  mailbox: string,
  previousStart: number | null = null,
) {
  return {
    booking_id: ids.encode(BOOKING_ID, row.account, row.id),
    booking_page_id: ids.encode(BookingPage, row.organization, row.page),
    mailbox,
    start: instant(row.start_at),
    end: instant(row.end_at),
    name,
    email,
    previous_start: previousStart === null ? null : instant(previousStart),
  }
}

function instant(at: number): string {
  return new Date(at).toISOString()
}
