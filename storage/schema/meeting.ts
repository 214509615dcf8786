import { int, nullable, type RowOf, table, text } from './table.ts'

/** Meetings at conferencing providers: what each shall be, what it is, and when the provider is asked next (decision D32). */
export const meeting = table({
  name: 'meeting',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'event', of: 'account' },
  ],
  columns: {
    account: int,
    id: int,
    /** The CalendarEvent, which may have been destroyed since. */
    event: int,
    provider: text,
    /** JSON of what the provider shall have; null: nothing. */
    wanted: nullable(text),
    /** Its id at the provider; null: none is known. */
    remote: nullable(text),
    /** 1: it may have been made by a request whose answer is not recorded. */
    is_unsure: int,
    /** 1: participants get a message with the link. */
    sends: int,
    /** When the provider is asked; null: it has what it shall have, or has refused. */
    due_at: nullable(int),
    attempts: int,
    lease: nullable(text),
    lease_until: int,
    created_at: int,
  },
})
export type MeetingTable = RowOf<typeof meeting>
