import { bytes, int, nullable, type RowOf, table, text } from './table.ts'

/** References of accounts to octets. Only an account with a reference can read them, under its own number. */
export const accountBlob = table({
  name: 'account_blob',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  columns: {
    account: int,
    id: int,
    hash: bytes,
    size: int,
    /** Media type given at upload. */
    type: text,
    /** Credentials of the uploaders, separated by spaces, while nothing refers to the blob (RFC 8620 6.1); null once an email does. */
    uploader: nullable(text),
    uploaded_at: int,
  },
})
export type AccountBlobTable = RowOf<typeof accountBlob>
