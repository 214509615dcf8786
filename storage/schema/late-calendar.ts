import { int, nullable, type RowOf, table, text } from './table.ts'

/** Emails whose calendar parts could not be read while they were delivered: the queue of jmap/delivery/late-calendars.ts. */
export const lateCalendar = table({
  name: 'late_calendar',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  columns: {
    account: int,
    id: int,
    /** It may have been destroyed. */
    email: int,
    /** The address to which the mail came. */
    recipient: text,
    /** 1: the author in From was shown to be the author, or such checks are off. */
    is_authentic: int,
    /** The registered domain of the author, by which turns are shared out. */
    sender: text,
    due_at: int,
    attempts: int,
    lease: nullable(text),
    lease_until: int,
    created_at: int,
  },
})
export type LateCalendarTable = RowOf<typeof lateCalendar>
