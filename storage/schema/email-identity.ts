import { int, nullable, type RowOf, table, text } from './table.ts'

/**
 * Emails by the identity of their messages (decision D12), for imports. Made when an import needs it: emails after `up_to` of
 * `email_identified` have no row unless an import created them.
 */
export const emailIdentity = table({
  name: 'email_identity',
  key: ['account', 'email'],
  owner: 'account',
  partOf: 'email',
  columns: {
    account: int,
    email: int,
    /** Hash of the Message-ID, or of the octets of a message without one. */
    id_key: text,
    /** Hash of From, Date, Subject and decoded body; null: not computed yet. Of a message without Message-ID the key again. */
    digest: nullable(text),
  },
})
export type EmailIdentityTable = RowOf<typeof emailIdentity>
