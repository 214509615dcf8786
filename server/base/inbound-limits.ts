// Limits of mail that comes in from outside, and of the DNS answers it is judged by: as in limits.ts, each with its unit and the reason.

// --- DNS (mta/dns) ---
/** Answers that a resolver remembers, some 300 octets each. */
export const DNS_CACHE_MAX = 50_000
/** Milliseconds for which an answer is remembered at most, whatever it says: a day, as resolvers have it (RFC 8767 4 has a week). */
export const DNS_CACHE_MAX_MS = 86_400_000
/** Milliseconds for which an absence is remembered at most: RFC 2308 5 has one to three hours; here a new record is seen sooner. */
export const DNS_NEGATIVE_MAX_MS = 900_000
