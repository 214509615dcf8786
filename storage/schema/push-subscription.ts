import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** PushSubscriptions (RFC 8620 7.2), which are also the queue of pushes. */
export const pushSubscription = table({
  name: 'push_subscription',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  columns: {
    /** The account of the credential: the mailbox of a password, the organization of an API key. */
    account: int,
    id: int,
    organization: int,
    /** Id of the credential that made the subscription. */
    credential: text,
    /** Changes when the secret of the credential changes. */
    stamp: nullable(text),
    device: text,
    url: text,
    /** Sealed; null: pushes are not encrypted. */
    keys: nullable(text),
    code: text,
    /** `new`: the code is still to be sent; `sent`: the client has to confirm it; `verified`: changes are pushed. */
    stage: oneOf('new', 'sent', 'verified'),
    /** JSON array; null: all types. */
    types: nullable(text),
    expires_at: nullable(int),
    /** Push state that was sent to the client last. */
    delivered: text,
    /** Time of the next check for changes. The queue is ordered by it. */
    due_at: int,
    /** Nothing is sent before this time. */
    next_at: int,
    /** Milliseconds between two pushes. */
    pause: int,
    /** Failed attempts since the last success. */
    attempts: int,
    lease: nullable(text),
    lease_until: int,
    created_at: int,
  },
})
export type PushSubscriptionTable = RowOf<typeof pushSubscription>
