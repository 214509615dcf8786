import { int, nullable, type RowOf, table, text } from './table.ts'

/** Emails. */
export const email = table({
  name: 'email',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'Email',
  keepsBlob: 'always',
  columns: {
    account: int,
    id: int,
    thread: int,
    /** The message, by its number among the account's blobs. */
    blob: int,
    size: int,
    received_at: int,
    sent_at: nullable(int),
    has_attachment: int,
    /** 1: it has neither $seen nor $draft. */
    unread: int,
    /** JSON object with the keywords in lower case. */
    keywords: text,
    /** Comma-separated numbers of its mailboxes, ascending. */
    mailboxes: text,
    from_sort: text,
    to_sort: text,
    subject_sort: text,
    /** What lists show, ready to send: JSON texts of fixed properties, joined. */
    packed: text,
    /** MIME structure with octet offsets, as JSON. */
    structure: text,
    source: text,
    created_at: int,
  },
})
export type EmailTable = RowOf<typeof email>
