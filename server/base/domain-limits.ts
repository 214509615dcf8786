// Limits of domains and of their DNS checks: each with its unit and the reason for its value, as in limits.ts.

/** TTL in seconds of the records that owners are asked to set (decision D7). */
export const DOMAIN_RECORD_TTL_SECONDS = 3_600
/** Milliseconds between two checks of a pending domain, by its age in milliseconds (decision D7). */
export const DOMAIN_CHECK_PENDING_MS = [
  { until: 7_200_000, every: 300_000 },
  { until: 266_400_000, every: 3_600_000 },
  { until: Number.POSITIVE_INFINITY, every: 86_400_000 },
] as const
/** Milliseconds between two checks of a verified domain, of a failed one, and of a degraded one, whose owner is repairing it. */
export const DOMAIN_CHECK_VERIFIED_MS = 21_600_000
export const DOMAIN_CHECK_FAILED_MS = 86_400_000
export const DOMAIN_CHECK_DEGRADED_MS = 3_600_000
/** Milliseconds after which a pending domain counts as failed (decision D7). */
export const DOMAIN_PENDING_MAX_MS = 1_209_600_000
/** Least time in milliseconds between two failing checks before a verified domain becomes degraded (decision D7). */
export const DOMAIN_DEGRADE_AFTER_MS = 600_000
/** Milliseconds after which a degraded domain with a failing DKIM record cannot send (decision D7). */
export const DOMAIN_DKIM_GRACE_MS = 259_200_000
/** Milliseconds for which a record keeps its last result while name servers do not respond; then it counts as missing. */
export const DOMAIN_UNANSWERED_MS = 86_400_000
/** Milliseconds for which the result of a check is reused: it bounds the queries that a client can cause. */
export const DOMAIN_CHECK_FRESH_MS = 2_000
/** Milliseconds after which a domain gets new DKIM keys: half a year, as M3AAWG's "DKIM Key Rotation Best Common Practices" asks. */
export const DKIM_LIFETIME_MS = 15_552_000_000
/** Milliseconds between two checks of a domain whose new DKIM record is not yet published. */
export const DKIM_NEXT_CHECK_MS = 3_600_000
/**
 * Milliseconds for which the record of a DKIM key stays after its last signature: signatures expire after a week (DKIM_EXPIRY_SECONDS),
 * and a day is added for clocks and caches.
 */
export const DKIM_OLD_RECORD_MS = 691_200_000
/** Domains in one Domain/verify or Domain/rotateDkim. */
export const DOMAIN_VERIFY_MAX = 10
/** Milliseconds of the lease of a check unless the worker renews it: with the sweep at most 30 s (promise L1). */
export const DOMAIN_CHECK_LEASE_MS = 20_000
/** Checks under way at a time in one process. */
export const DOMAIN_CHECK_CONCURRENCY = 8
/** Milliseconds between two sweeps for due checks without a notification. */
export const DOMAIN_CHECK_SWEEP_MS = 10_000
/** Milliseconds before the next claim if another worker holds the due checks. */
export const DOMAIN_CHECK_BUSY_MS = 1_000
/** UTF-16 units kept of one value found in DNS, and values kept of one name. */
export const DOMAIN_FOUND_MAX_CHARS = 1_000
export const DOMAIN_FOUND_MAX = 20

// --- Queries to authoritative servers (mta/dns) ---
/** Milliseconds for one query to one server. */
export const DNS_AUTHORITY_TIMEOUT_MS = 3_000
/** Milliseconds for all queries about one domain. */
export const DNS_AUTHORITY_TOTAL_MS = 30_000
/** Name servers of a zone whose addresses are looked up, and addresses that are queried before giving up. */
export const DNS_NAME_SERVERS_MAX = 6
export const DNS_SERVERS_TRIED = 3
/** Aliases and delegations followed for one name. */
export const DNS_STEPS_MAX = 8
/** Octets of a UDP response (DNS flag day 2020). */
export const DNS_UDP_BYTES = 1_232
