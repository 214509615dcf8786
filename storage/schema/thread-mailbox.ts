import { int, type RowOf, table } from './table.ts'

/** Counts of a thread's emails in each mailbox. */
export const threadMailbox = table({
  name: 'thread_mailbox',
  key: ['account', 'thread', 'mailbox'],
  owner: 'account',
  partOf: 'thread',
  columns: { account: int, thread: int, mailbox: int, total: int, unread: int },
})
export type ThreadMailboxTable = RowOf<typeof threadMailbox>
