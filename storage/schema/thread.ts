import { int, type RowOf, table } from './table.ts'

/** Threads, with their counts and their newest email. */
export const thread = table({
  name: 'thread',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'Thread',
  columns: {
    account: int,
    id: int,
    total: int,
    /** Unread emails that are in a mailbox other than Trash (RFC 8621 2: unreadThreads). */
    unread_elsewhere: int,
    /** Unread emails that are in Trash. */
    unread_in_trash: int,
    created_at: int,
    latest_at: int,
    latest_email: int,
  },
})
export type ThreadTable = RowOf<typeof thread>
