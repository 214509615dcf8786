import { int, nullable, type RowOf, table, text } from './table.ts'

/** Mailboxes (REST calls them folders), with their counts. */
export const mailbox = table({
  name: 'mailbox',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'Mailbox',
  columns: {
    account: int,
    id: int,
    name: text,
    /** Case-folded name, which is unique among siblings. */
    name_key: text,
    /** 0: top level. */
    parent: int,
    role: nullable(text),
    sort_order: int,
    is_subscribed: int,
    total_emails: int,
    unread_emails: int,
    total_threads: int,
    unread_threads: int,
    /** Threads that have an unread email in this mailbox itself (decision D9). */
    own_unread_threads: int,
    created_at: int,
  },
})
export type MailboxTable = RowOf<typeof mailbox>
