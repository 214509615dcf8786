// Limits of mail that comes in from outside, and of the DNS answers it is judged by: as in limits.ts, each with its unit and the reason.

// --- DNS (mta/dns) ---
/** Answers that a resolver remembers, some 300 octets each, and octets of the largest of them: 80 MB if all were as large. */
export const DNS_CACHE_MAX = 20_000
export const DNS_CACHE_ENTRY_MAX_BYTES = 4_096
/** Milliseconds for which an answer is remembered at most, whatever it says: a day, as resolvers have it (RFC 8767 4 has a week). */
export const DNS_CACHE_MAX_MS = 86_400_000
/** Milliseconds for which an absence is remembered at most: RFC 2308 5 has one to three hours; here a new record is seen sooner. */
export const DNS_NEGATIVE_MAX_MS = 900_000

/** Milliseconds that a check of an incoming message waits for one answer; after that it asks nothing more. */
export const SENDER_DNS_MS = 5_000
/** Milliseconds for the answer of a DNS list, which is asked before: it only adds to a score. */
export const DNS_LIST_MS = 3_000

// --- Authentication of senders (mta/inbound/checks/authentication) ---
/** DKIM signatures of one message that are looked at: mailers write one to three (RFC 6376 6.1 leaves it to the verifier). */
export const DKIM_SIGNATURES_MAX = 10
/** Milliseconds for SPF of one message: RFC 7208 4.6.4 asks for at least 20 seconds. */
export const SPF_MAX_MS = 20_000
/** Names of a client's address that are looked up: RFC 7208 5.5 has ten for the same purpose. */
export const IPREV_NAMES_MAX = 10
/** Threads that check signatures; one is busy with 2,000 signed messages a second. */
export const SIGNATURE_THREADS_MAX = 4
/** Messages at a time in one of them: while one waits for the DNS another can be hashed. */
export const SIGNATURE_JOBS_PER_THREAD = 16
/** Messages that wait for one: the listener's receiving budget bounds their octets. */
export const SIGNATURE_QUEUE_MAX = 500
/** Milliseconds after which a message's questions to the DNS count as unanswered, and after which its work as a whole is given up. */
export const SIGNATURE_DNS_MS = 20_000
export const SIGNATURE_JOB_MS = 30_000
/** Octets of From, all its fields together, in which authors are looked for: some thousand addresses. */
export const AUTHOR_MAX_BYTES = 65_536
/** Octets of an Authentication-Results field of somebody else that is kept: far more than any server writes. */
export const RESULTS_MAX_BYTES = 65_536
/** Characters of a name that Authentication-Results repeats; with four octets each, quoted, they still fit into one line. */
export const RESULTS_VALUE_MAX_CHARS = 200

// --- Rates of clients on port 25 (mta/smtp/client-rate-limiter.ts) ---
/** Connections, messages, recipients and refusals of one client a minute: far above what one mail server brings to one organization. */
export const SMTP_CONNECTIONS_PER_MINUTE = 120
export const SMTP_MESSAGES_PER_MINUTE = 600
export const SMTP_RECIPIENTS_PER_MINUTE = 6_000
export const SMTP_ERRORS_PER_MINUTE = 60
/** Messages of one sender address a minute. */
export const SMTP_SENDER_MESSAGES_PER_MINUTE = 600
/** Clients and senders that are remembered, about 150 octets each. */
export const SMTP_PACE_PLACES_MAX = 100_000
/** Octets of what a balancer says before a connection: version 2 has room for a client's certificate. */
export const PROXY_HEADER_MAX_BYTES = 4_096
/** Milliseconds in which it has to say it: the protocol's own text has at least three seconds. */
export const PROXY_HEADER_MS = 10_000

// --- Recipients ---
/** Milliseconds for which mail for a suspended mailbox is put off before it is refused: seven days (decision D8). */
export const SUSPENDED_DEFERS_MS = 604_800_000
