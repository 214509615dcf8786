// Limits of mail that leaves, and of reports on it: as in limits.ts, each with its unit and the reason for its value.

// --- SMTP, outbound (mta/outbound) ---
/** Milliseconds until each next attempt; the last one repeats. */
export const RETRY_SCHEDULE_MS = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000] as const
/** Part by which a retry is moved at random, so that what failed together does not come back together. */
export const RETRY_JITTER = 0.1
/** Milliseconds after which a message is given up: RFC 5321 4.5.4.1 asks for four to five days. */
export const QUEUE_EXPIRY_MS = 432_000_000
/** Milliseconds after which the sender is told of a delay, when NOTIFY=DELAY asks for it. */
export const DELAY_NOTICE_MS = 14_400_000
/** Messages taken from the queue in one claim, each for one destination. */
export const QUEUE_CLAIM_MAX = 100
/** So many are enough for one claim: it looks no further for others, whose turn comes with the next. */
export const QUEUE_CLAIM_ENOUGH = 20
/** Messages being sent at a time by one process. */
export const QUEUE_CONCURRENCY = 600
/** Octets of messages in one claim; what is beyond goes back. */
export const QUEUE_CLAIM_BYTES = 33_554_432
/** Octets of messages under way, above which nothing more is claimed. */
export const QUEUE_BYTES = 134_217_728
/**
 * Messages under way for one destination, so that a slow one leaves room for others (promise Q4): what its connections carry,
 * and enough that they need not wait for a signature, a claim or the record of what was sent.
 */
export const QUEUE_PER_DESTINATION = 180
/** And those of one organization. */
export const QUEUE_PER_ORGANIZATION = 450
/** Milliseconds before a look for what is due is repeated that found only what has no room. */
export const QUEUE_BUSY_MS = 250
/** Calls that record what became of attempts, at a time: what ends meanwhile goes together with the next. */
export const QUEUE_REPORT_CALLS = 2
/** Rows of the queue that one look of a claim goes over, and looks of one claim: what it costs at most when all of them are busy. */
export const QUEUE_WINDOW_ROWS = 5_000
export const QUEUE_WINDOWS = 5
/** Entries of the queue in one answer, and submissions changed in one call. */
export const QUEUE_LIST_MAX = 200
/** Candidates that a claim chooses from, for each one that it wants. */
export const QUEUE_LOOK_AHEAD = 4
/** Milliseconds a claimed submission belongs to its worker, unless it renews that: with QUEUE_SWEEP_MS at most 30 s (promise L1). */
export const QUEUE_LEASE_MS = 20_000
/** Milliseconds between two renewals: two of them may fail. */
export const QUEUE_RENEW_MS = 6_500
/**
 * Milliseconds without claims after the core could not be asked: longer than QUEUE_RENEW_MS and QUEUE_REPORT_RETRY_MS, so that what the
 * workers have sent meanwhile is reported, and what they are sending renewed, before anybody takes it for left behind.
 */
export const QUEUE_REST_MS = 10_000
/** Milliseconds for which a report is made again that the core could not take. */
export const QUEUE_REPORT_MS = 1_800_000
/** Milliseconds for one attempt at one submission; what is open then is deferred. */
export const QUEUE_ATTEMPT_MS = 1_200_000
/** Milliseconds between two looks at the queue when no bell rings. */
export const QUEUE_SWEEP_MS = 10_000
/** Milliseconds before a report that the core could not take is made again. */
export const QUEUE_REPORT_RETRY_MS = 5_000
/** Milliseconds that stop() leaves to attempts under way; the whole process stops in STOP_MS. */
export const QUEUE_STOP_MS = 7_000
/** Connections to one host at a time. */
export const OUTBOUND_CONNECTIONS_PER_HOST = 20
/** Messages over one outbound connection. */
export const OUTBOUND_MESSAGES_PER_CONNECTION = 100
/** Milliseconds an idle outbound connection is kept for the next message. */
export const OUTBOUND_IDLE_MS = 5_000
/** Recipients in one outbound transaction: every server takes 100 (RFC 5321 4.5.3.1.8). */
export const OUTBOUND_RECIPIENTS = 100
/** Addresses of mail hosts tried in one attempt (RFC 5321 5.1 asks for at least two). */
export const OUTBOUND_HOSTS_TRIED = 5
/** Milliseconds to connect to a mail host. */
export const OUTBOUND_CONNECT_MS = 30_000
/** Milliseconds to its greeting: RFC 5321 4.5.3.2.1 gives five minutes. */
export const OUTBOUND_GREETING_MS = 300_000
/** Milliseconds without an octet from a mail host: RFC 5321 4.5.3.2.6 gives ten minutes after the final dot. */
export const OUTBOUND_SOCKET_MS = 600_000
/** Milliseconds for one DNS question, and how often it is put. */
export const DNS_TIMEOUT_MS = 2_500
export const DNS_TRIES = 2
/** Octets of one reply of a mail host. */
export const OUTBOUND_REPLY_MAX_BYTES = 65_536
/** Iterations that a relay may ask for at login (RFC 7677 4 has 4096 at least); each million takes half a second of a thread. */
export const SCRAM_ITERATIONS_MIN = 4_096
export const SCRAM_ITERATIONS_MAX = 1_000_000
/** UTF-16 units of a server's reply that are kept. */
export const SMTP_REPLY_MAX_CHARS = 500
/** Of a report on a message: groups of fields that are read, Message-IDs by which its submission is looked for, and submissions looked at. */
export const REPORT_MAX_GROUPS = 1_000
export const REPORT_MESSAGE_IDS_MAX = 20
export const REPORT_CANDIDATES_MAX = 20
/** Reports that a submission lists. */
export const REPORTS_PER_SUBMISSION_MAX = 200
/** Octets up to which a DSN returns the whole message; larger ones return their header only. */
export const DSN_FULL_MAX_BYTES = 65_536
/** Milliseconds for which an MTA-STS policy holds at most: a year (RFC 8461 3.2). */
export const STS_MAX_AGE_MS = 31_557_600_000
/** Policies remembered by one process. */
export const STS_POLICIES_MAX = 10_000
/** Milliseconds before a policy that could not be had is asked for again: RFC 8461 3.3 has five minutes at least. */
export const STS_RETRY_MS = 300_000
/** Octets of a policy file, and milliseconds until it has come (RFC 8461 3.3). */
export const STS_POLICY_MAX_BYTES = 65_536
export const STS_FETCH_MS = 30_000
/** Seconds after which our DKIM signatures expire (promise S12). */
export const DKIM_EXPIRY_SECONDS = 604_800
/** Days for which the return address of a sent message is believed: the five days of the queue, and as long as slow receivers take. */
export const VERP_VALID_DAYS = 30
/** Octets of the authentication code in a return address: 96 bits, which nobody guesses. */
export const VERP_MAC_BYTES = 12
