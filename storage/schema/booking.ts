import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Times that invitees booked on public pages (decision D32), each with its event. The account is the mailbox's. */
export const booking = table({
  name: 'booking',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'event', of: 'account' },
    { column: 'page', of: 'organization' },
  ],
  columns: {
    account: int,
    id: int,
    organization: int,
    /** The BookingPage, which may have been deleted since. */
    page: int,
    /** The CalendarEvent; null: not confirmed by the invitee yet. */
    event: nullable(int),
    /** Random part of the signed links of the booking. */
    nonce: text,
    status: oneOf('pending', 'confirmed', 'cancelled'),
    start_at: int,
    end_at: int,
    /** When the mail `letter` or the reminder is sent, or a pending booking expires; null: nothing is due. */
    due_at: nullable(int),
    /** The mail that is due: `booked` waits for the link of the meeting, `linked` has it. null: the reminder. */
    letter: nullable(oneOf('booked', 'linked')),
    lease: nullable(text),
    lease_until: int,
    /** JSON of what the invitee wrote and of the rules that the page had. */
    data: text,
    created_at: int,
  },
})
export type BookingTable = RowOf<typeof booking>
