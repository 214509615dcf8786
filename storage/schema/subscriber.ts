import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Members of audiences. An address is in an audience at most once. Those of an audience that was deleted may stay for a while, hidden. */
export const subscriber = table({
  name: 'subscriber',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [
    { column: 'id', of: 'account' },
    { column: 'audience', of: 'account' },
  ],
  objectType: 'Subscriber',
  columns: {
    /** The organization. */
    account: int,
    id: int,
    audience: int,
    /** Normalized. */
    address: text,
    display_name: nullable(text),
    status: oneOf('subscribed', 'unsubscribed', 'bounced', 'complained', 'suppressed', 'transactional_only'),
    /** JSON object. */
    merge_fields: text,
    consent_source: text,
    /** When consent was attested last. */
    consented_at: int,
    created_at: int,
    updated_at: int,
  },
})
export type SubscriberTable = RowOf<typeof subscriber>
