import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Accounts: organizations and mailboxes. A row is never deleted, so that its number is not used again. */
export const account = table({
  name: 'account',
  key: ['id'],
  owner: null,
  columns: {
    id: int,
    kind: oneOf('organization', 'mailbox'),
    /** An organization has its own number here. */
    organization: int,
    name: text,
    /** Number of the account's newest change. It only grows. */
    seq: int,
    /** Number of the account's next object. It only grows. */
    next_object: int,
    /** Octets of the account's messages. */
    used_bytes: int,
    created_at: int,
    suspended_at: nullable(int),
    deleted_at: nullable(int),
  },
})
export type AccountTable = RowOf<typeof account>
