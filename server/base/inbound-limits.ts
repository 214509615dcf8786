// Limits of incoming mail, and of the DNS answers for its checks: each with its unit and the reason for its value, as in limits.ts.

// --- DNS (mta/dns) ---
/** Answers in a resolver's cache, some 300 octets each, and octets of the largest of them: 80 MB if all were as large. */
export const DNS_CACHE_MAX = 20_000
export const DNS_CACHE_ENTRY_MAX_BYTES = 4_096
/** Longest time in milliseconds for which an answer is cached, whatever its TTL: a day, as in other resolvers (RFC 8767 4 has a week). */
export const DNS_CACHE_MAX_MS = 86_400_000
/** Longest time in milliseconds for which an absence is cached: RFC 2308 5 has one to three hours; here new records are seen sooner. */
export const DNS_NEGATIVE_MAX_MS = 900_000

/** Milliseconds that a check of an incoming message waits for one answer; after that it sends no more queries. */
export const SENDER_DNS_MS = 5_000
/** Milliseconds for the answer of a DNS list. It is shorter, because a list only adds to a score. */
export const DNS_LIST_MS = 3_000

// --- Authentication of senders (mta/inbound/checks/authentication) ---
/** DKIM signatures of one message that are checked: mailers write one to three (RFC 6376 6.1 lets the verifier choose). */
export const DKIM_SIGNATURES_MAX = 10
/** Octets of a signature's field: with the longest key and a hundred signed fields it has 2,000. */
export const SIGNATURE_FIELD_MAX_BYTES = 8_192
/** Lines of the header of a signed message: ten thousand recipients, one in a line. */
export const SIGNED_HEADER_MAX_LINES = 10_000
/** Milliseconds for SPF of one message: RFC 7208 4.6.4 asks for at least 20 seconds. */
export const SPF_MAX_MS = 20_000
/** Names of a client's address that are looked up: RFC 7208 5.5 allows ten for the same purpose. */
export const IPREV_NAMES_MAX = 10
/** Threads that check signatures; one is busy with 2,000 signed messages a second. */
export const SIGNATURE_THREADS_MAX = 4
/** Concurrent messages in one thread: while one waits for DNS another can be hashed. */
export const SIGNATURE_JOBS_PER_THREAD = 16
/** Milliseconds after which a thread without work ends: it holds some 40 MB, and takes a third of a second to start. */
export const SIGNATURE_THREAD_IDLE_MS = 300_000
/** Messages that wait for a thread; the listener's receiving budget bounds their octets. */
export const SIGNATURE_QUEUE_MAX = 500
/** Milliseconds after which a message's DNS queries count as unanswered, and after which its check is aborted. */
export const SIGNATURE_DNS_MS = 20_000
export const SIGNATURE_JOB_MS = 30_000
/** Octets of all From fields together in which authors are searched: some thousand addresses. */
export const AUTHOR_MAX_BYTES = 65_536
/** Octets of an Authentication-Results field of another server that is kept: far more than any server writes. */
export const RESULTS_MAX_BYTES = 65_536
/** Characters of a name in Authentication-Results; with four octets each, quoted, they still fit into one line. */
export const RESULTS_VALUE_MAX_CHARS = 200

// --- Rates of clients on port 25 (mta/smtp/client-rate-limiter.ts) ---
/** Connections, messages, recipients and refusals of one client per minute: far above what one mail server sends to one organization. */
export const SMTP_CONNECTIONS_PER_MINUTE = 120
export const SMTP_MESSAGES_PER_MINUTE = 600
export const SMTP_RECIPIENTS_PER_MINUTE = 6_000
export const SMTP_ERRORS_PER_MINUTE = 60
/** Messages of one sender address per minute. */
export const SMTP_SENDER_MESSAGES_PER_MINUTE = 600
/** Clients and senders that are counted, about 150 octets each. */
export const SMTP_PACE_PLACES_MAX = 100_000
/** Octets of a balancer's PROXY header: version 2 has room for a client's certificate. */
export const PROXY_HEADER_MAX_BYTES = 4_096
/** Milliseconds for the PROXY header to arrive: the protocol's text has at least three seconds. */
export const PROXY_HEADER_MS = 10_000

// --- Recipients ---
/** Milliseconds for which mail for a suspended mailbox gets a temporary reply before it is refused: seven days (decision D8). */
export const SUSPENDED_DEFERS_MS = 604_800_000
