// Limits of registrations and of the work at registrars and DNS providers: each with its unit and the reason for its value, as in limits.ts.

/** UTF-16 units of the keyword of a search, and its results (decision D7). */
export const SEARCH_KEYWORD_MAX_CHARS = 63
export const SEARCH_RESULTS_MAX = 20
/** Years of one registration (contract). */
export const REGISTRATION_YEARS_MAX = 10
/** Milliseconds for which a repeated registration of a name is the same one (decision D7). */
export const REGISTRATION_REPEAT_MS = 86_400_000
/** Milliseconds before the expiry at which a renewal is charged (decision D33). */
export const RENEWAL_BEFORE_MS = 2_592_000_000
/** Milliseconds between two attempts at a renewal that was refused: a new card is found within a day. */
export const RENEWAL_RETRY_MS = 86_400_000
/** Milliseconds before a renewal without an answer is looked for and asked again. */
export const RENEWAL_UNSURE_MS = 120_000
/**
 * Milliseconds before the expiry at which an owner is told what a renewal will cost: a week before the charge, as the rules of card networks ask for
 * charges that come once in six months or less often.
 */
export const RENEWAL_ANNOUNCED_MS = RENEWAL_BEFORE_MS + 604_800_000
/** Days before the expiry at which an owner is written to about a domain that is not renewed (decision D33). */
export const RENEWAL_LETTER_DAYS = [30, 14, 3] as const
/** Milliseconds between two attempts at a step, by how many were made; the last repeats. A registrar's outage must not lose an order. */
export const WORK_RETRY_MS = [2_000, 10_000, 30_000, 120_000, 600_000, 3_600_000] as const
/** Milliseconds for which a registry may take to confirm a registration, and between two questions about it. */
export const REGISTRATION_PENDING_MAX_MS = 432_000_000
export const REGISTRATION_PENDING_MS = 30_000
/** Milliseconds after which a registration that was accepted but is not in the account counts as failed. */
export const REGISTRATION_ABSENT_MAX_MS = 3_600_000
/**
 * Milliseconds for which years that the registrar has accepted may be missing: registries add them within minutes, a person at the registrar
 * within days. Then they are paid back, and looked for once a day.
 */
export const YEARS_PENDING_MAX_MS = 432_000_000
export const YEARS_LOOK_MS = 86_400_000
/** Attempts at the years beyond the first that the registrar refuses, before they are paid back: a day, with the waits below. */
export const EXTEND_ATTEMPTS_MAX = 28
/** Milliseconds after the expiry at which renewals are given up: registries keep an expired domain for its owner for 30 days. */
export const RENEWAL_GRACE_MS = 2_592_000_000
/** Milliseconds by which a renewal must move the expiry to count as done: registries round, but never by a month. */
export const RENEWAL_LEAST_MS = 28_512_000_000
/**
 * Milliseconds by which a registration at the registrar may be older than the order and still be the order's own: clocks differ, and
 * registrars write dates without zones.
 */
export const REGISTRATION_OWN_MS = 86_400_000
/** Milliseconds of the lease of a step unless the worker renews it: with the sweep at most 30 s (promise L1). */
export const WORK_LEASE_MS = 20_000
/** Milliseconds of the lease of a request that charges: longer than the charge and the writes after it. */
export const CHARGE_LEASE_MS = 60_000
/** Steps under way at a time in one process: orders at the registrar, and letters. */
export const WORK_CONCURRENCY = 4
/** Domains whose records are written at a time, one of each organization: a DNS provider of a customer may take a minute for each. */
export const RECORDS_CONCURRENCY = 16
/** Milliseconds before an organization without a mailbox is looked at again: a letter to its owner is sent from one. */
export const LETTER_RETRY_MS = 86_400_000
/** Milliseconds between two sweeps for due steps without a notification. */
export const WORK_SWEEP_MS = 10_000
/** Milliseconds before the next claim if another worker holds the due steps. */
export const WORK_BUSY_MS = 1_000

// --- Requests to registrars and DNS providers ---
/** Milliseconds for one request. Registries answer slowly. */
export const PROVIDER_REQUEST_MS = 20_000
/** Milliseconds for all availability questions of one search. */
export const OFFERS_TOTAL_MS = 15_000
/** Availability questions under way at a time in one search. */
export const OFFERS_CONCURRENCY = 5
/** Milliseconds for which an answer about a name, or a list of prices, is reused: registrars allow few questions. */
export const OFFER_FRESH_MS = 60_000
export const PRICES_FRESH_MS = 3_600_000
/** Names whose answers are remembered. */
export const OFFERS_REMEMBERED = 1_000
/** Octets of one answer. A list of the prices of all endings, or a page of records, has some hundred kB. */
export const PROVIDER_ANSWER_MAX_BYTES = 4_194_304
/** Pages of records that are read of one zone, and records on each. */
export const ZONE_PAGES_MAX = 50
export const ZONE_PAGE_RECORDS = 100
/** Records at the names that a domain's records have, and UTF-16 units of their values: a name in use has some dozens. */
export const ZONE_HELD_MAX = 500
export const ZONE_HELD_MAX_CHARS = 131_072
/** UTF-16 units of what a provider says, as customers see it. */
export const PROVIDER_WORDS_MAX_CHARS = 200
/** Seconds by which the clocks of a server and of this one may differ (RFC 8945 10). */
export const TSIG_FUDGE_SECONDS = 300
/** UTF-16 units of a credential of a DNS provider, and of the URL of its API. */
export const DNS_CREDENTIAL_MAX_CHARS = 1_000
