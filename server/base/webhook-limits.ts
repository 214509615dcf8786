/** Webhooks (decision D24; spec/contract.tsv, Delivery and retry, Other constants). */

/** Of one organization, and characters of a description. */
export const WEBHOOKS_MAX = 10
export const WEBHOOK_DESCRIPTION_MAX_CHARS = 500
export const WEBHOOK_URL_MAX_CHARS = 2_048
/** Milliseconds that the secret before the present one stays valid. */
export const WEBHOOK_SECRET_GRACE_MS = 86_400_000
/** Milliseconds until each next attempt; after the last a delivery has failed. The waits vary by this part of them. */
export const WEBHOOK_RETRY_MS: readonly number[] = [60_000, 300_000, 1_800_000, 14_400_000]
export const WEBHOOK_RETRY_JITTER = 0.1
/** Failed deliveries in a row with which a webhook is disabled. */
export const WEBHOOK_FAILURES_MAX = 3
/** Milliseconds between two mails that a webhook's deliveries fail, so that one that comes and goes fills no inbox. */
export const WEBHOOK_NOTICE_EVERY_MS = 86_400_000
/** Milliseconds that deliveries are kept; their events twice as long, since a delivery can be made again until it goes. */
export const WEBHOOK_DELIVERY_LIFETIME_MS = 2_592_000_000
/** Characters of an error, and octets of a receiver's answer that are kept. */
export const WEBHOOK_ERROR_MAX_CHARS = 500
export const WEBHOOK_ANSWER_KEPT_BYTES = 4_096

// --- The worker (server/workers/webhooks) ---
/** Milliseconds for one attempt, and octets of an answer that are read. */
export const WEBHOOK_REQUEST_MS = 15_000
export const WEBHOOK_ANSWER_MAX_BYTES = 65_536
/** Attempts under way at a time: in all, to one webhook, and to one whose last attempt failed. */
export const WEBHOOK_CONCURRENCY = 128
export const WEBHOOK_CONCURRENCY_EACH = 8
export const WEBHOOK_CONCURRENCY_FAILING = 1
/** Milliseconds that a delivery belongs to its worker: longer than an attempt. */
export const WEBHOOK_LEASE_MS = 60_000
/** Milliseconds between two looks when nothing wakes it, and before it looks again at what could not be claimed. */
export const WEBHOOK_SWEEP_MS = 30_000
export const WEBHOOK_BUSY_MS = 1_000
/** Webhooks with deliveries under way that one look passes, and deliveries that one step numbers or ends. */
export const WEBHOOK_LANES_PER_LOOK = 500
export const WEBHOOK_STEP = 500
