import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Newsletters of an organization (decision D19). What they say is in `newsletter_content`, which lists do not read. */
export const newsletter = table({
  name: 'newsletter',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'audience', of: 'account' },
    { column: 'domain', of: 'account' },
  ],
  objectType: 'Newsletter',
  columns: {
    /** The organization. */
    account: int,
    id: int,
    status: oneOf('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed'),
    /** The Audience; null: none yet. */
    audience: nullable(int),
    /** The Domain that it is sent from; null: none yet. */
    domain: nullable(int),
    /** JSON of the other settings: subject, sender, times. */
    settings: text,
    created_at: int,
    updated_at: int,
  },
})
export type NewsletterTable = RowOf<typeof newsletter>
