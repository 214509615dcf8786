/** Subscriptions and payments (decisions D27 and D33). */
import type { PlanName } from './sending-limits.ts'

/** Plans that are sold. */
export const PAID_PLANS = ['solo', 'pro', 'team'] as const satisfies readonly PlanName[]
export type PaidPlan = (typeof PAID_PLANS)[number]

export const BILLING_KINDS = ['none', 'fake', 'stripe'] as const
export type BillingKind = (typeof BILLING_KINDS)[number]

const DAY_MS = 86_400_000

/** Decision D33: from the first failed payment to the suspension, and when the owner gets letters meanwhile. */
export const GRACE_MS = 14 * DAY_MS
export const GRACE_LETTERS_MS: readonly number[] = [0, 7 * DAY_MS, 13 * DAY_MS]
/** Milliseconds from the last letter to the suspension, also if the server was down and wrote it late. */
export const GRACE_LAST_MS = DAY_MS

/** Milliseconds between two readings of the provider without an event: one may have been lost. */
export const BILLING_READ_MS = DAY_MS
/** Milliseconds until the provider is read after somebody was sent to its checkout, in case its event is lost. */
export const CHECKOUT_READ_MS = 3_600_000
/** Milliseconds between the attempts to read the provider; the last one repeats. */
export const BILLING_RETRY_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000, 1_800_000]
/** Milliseconds for which events are kept: Stripe sends them again for three days, and on request for thirty. */
export const BILLING_EVENTS_KEPT_MS = 60 * DAY_MS

/** Milliseconds after which a request for a payment that got no answer has reached the provider or never will. */
export const CHARGE_SETTLED_MS = 120_000

/** Characters of a purchase's idempotency key: Stripe takes 255 together with our prefix. */
export const CHARGE_KEY_MAX_CHARS = 200
/** Characters of a description on a receipt, and of a reason that is kept. */
export const CHARGE_TEXT_MAX_CHARS = 300
/** Characters of an address that a customer returns to. */
export const RETURN_URL_MAX_CHARS = 2_000

/** Octets of a webhook of Stripe: its events have a few KB, those with long lists some 100 KB. */
export const STRIPE_WEBHOOK_MAX_BYTES = 524_288
/** Seconds by which the time of a webhook's signature may be past: Stripe's own default. */
export const STRIPE_TOLERANCE_SECONDS = 300
/** Milliseconds for one request to Stripe, which allows 80 s; and octets of its answer: 100 subscriptions have some 600 KB. */
export const STRIPE_REQUEST_MS = 30_000
export const STRIPE_ANSWER_MAX_BYTES = 4_194_304

/** The worker: organizations at a time, the lease of one unless the worker renews it (promise L1), and the waits between looks. */
export const BILLING_CONCURRENCY = 4
export const BILLING_LEASE_MS = 20_000
/** Milliseconds of the lease of a reading that somebody waits for, which nobody renews: two requests and the writes after them. */
export const BILLING_NOW_LEASE_MS = 90_000
export const BILLING_SWEEP_MS = 60_000
export const BILLING_BUSY_MS = 1_000

/** Milliseconds for which the link to the fake's pages can be used: as long as Stripe's. */
export const FAKE_LINK_MS = DAY_MS
/** Days after a failed payment on which the fake tries again, as Stripe's retries do. */
export const FAKE_RETRY_DAYS: readonly number[] = [3, 5, 7, 14, 21]
