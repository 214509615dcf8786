import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/**
 * What organizations are subscribed to at the provider of billing, as it was last read there, and the queue of reading it again
 * (decision D33).
 */
export const billing = table({
  name: 'billing',
  key: ['organization'],
  owner: 'organization',
  columns: {
    organization: int,
    /** Its id at the provider; null: it has never gone there. */
    customer: nullable(text),
    /** Id of the subscription that counts; null: there has been none. */
    subscription: nullable(text),
    status: oneOf('none', 'trialing', 'active', 'past_due', 'ended'),
    plan: nullable(oneOf('solo', 'pro', 'team')),
    trial_ends_at: nullable(int),
    period_start: nullable(int),
    period_end: nullable(int),
    /** When the subscription ends by the customer's wish. */
    cancel_at: nullable(int),
    has_payment_method: int,
    had_trial: int,
    /** First failed payment, or end of the subscription; null: the organization pays, or has never paid. */
    unpaid_since: nullable(int),
    /** Letters that the owner has got since, and when the last one was written. */
    letters: int,
    letter_at: nullable(int),
    suspended_at: nullable(int),
    /** JSON: what the fake provider knows of the organization. */
    fake: nullable(text),
    /** Number of requests to read the provider, by which one that arrives during a reading is noticed. */
    requested: int,
    /** When the provider is read, or the next step of the time of grace is taken. */
    due_at: nullable(int),
    attempts: int,
    lease: nullable(text),
    lease_until: int,
  },
})
export type BillingTable = RowOf<typeof billing>
