/** Webhooks (decision D24; spec/contract.tsv, Delivery and retry, Other constants). */

/** Webhooks of one organization, and characters of a description. */
export const WEBHOOKS_MAX = 10
export const WEBHOOK_DESCRIPTION_MAX_CHARS = 500
export const WEBHOOK_URL_MAX_CHARS = 2_048
/** Milliseconds that the previous secret stays valid. */
export const WEBHOOK_SECRET_GRACE_MS = 86_400_000
/** Milliseconds until each next attempt; after the last one the delivery has failed. Waits vary by this fraction. */
export const WEBHOOK_RETRY_MS: readonly number[] = [60_000, 300_000, 1_800_000, 14_400_000]
export const WEBHOOK_RETRY_JITTER = 0.1
/** Failed deliveries in a row after which a webhook is switched off. */
export const WEBHOOK_FAILURES_MAX = 3
/** Milliseconds between two mails about failing deliveries, so that an unstable receiver does not fill the owner's inbox. */
export const WEBHOOK_NOTICE_EVERY_MS = 86_400_000
/** Milliseconds that deliveries are kept. Events are kept twice as long, because a delivery can be replayed until it is deleted. */
export const WEBHOOK_DELIVERY_LIFETIME_MS = 2_592_000_000
/**
 * Of `posthouse listen`: milliseconds between two looks, that a request may take, and that it looks back for events that were committed
 * after later ones.
 */
export const LISTEN_POLL_MS = 1_000
export const LISTEN_REQUEST_MS = 15_000
export const LISTEN_OVERLAP_MS = 10_000
/** Milliseconds back that the list of events goes. */
export const EVENT_LIST_MS = 2_592_000_000
/** Characters of an error, and octets of a receiver's response that are kept. */
export const WEBHOOK_ERROR_MAX_CHARS = 500
export const WEBHOOK_ANSWER_KEPT_BYTES = 4_096

// --- The worker (server/workers/webhooks) ---
/** Milliseconds for one attempt, and octets of a response that are read. */
export const WEBHOOK_REQUEST_MS = 15_000
export const WEBHOOK_ANSWER_MAX_BYTES = 65_536
/** Concurrent attempts: in all, to one webhook, and to a webhook whose last attempt failed. */
export const WEBHOOK_CONCURRENCY = 128
export const WEBHOOK_CONCURRENCY_EACH = 8
export const WEBHOOK_CONCURRENCY_FAILING = 1
/** Milliseconds after an attempt that failed in which the webhook counts as one that fails. */
export const WEBHOOK_FAILING_MS = 1_200_000
/** Milliseconds of the lease of a delivery: longer than an attempt. */
export const WEBHOOK_LEASE_MS = 60_000
/** Milliseconds between two sweeps without a notification, and before the next claim if nothing could be claimed. */
export const WEBHOOK_SWEEP_MS = 30_000
export const WEBHOOK_BUSY_MS = 1_000
/** Webhooks that one claim visits, and deliveries that one step numbers or ends. */
export const WEBHOOKS_PER_CLAIM = 500
export const WEBHOOK_STEP = 500
