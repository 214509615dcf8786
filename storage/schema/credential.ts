import { int, nullable, type RowOf, table, text } from './table.ts'

/** Secrets and the objects that they authenticate. */
export const credential = table({
  name: 'credential',
  key: ['hash'],
  owner: 'account',
  columns: {
    /** SHA-256 of an API key in hex, or `mailbox:<account>` for a mailbox password. */
    hash: text,
    account: int,
    /** Object number of the ApiKey; for a mailbox password the number of the mailbox account. */
    object: int,
    /** argon2id text of a password; null for an API key, which `hash` verifies. */
    verifier: nullable(text),
    created_at: int,
  },
})
export type CredentialTable = RowOf<typeof credential>
