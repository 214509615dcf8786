// Limits of outgoing mail and of reports on it: each with its unit and the reason for its value, as in limits.ts.

// --- SMTP, outbound (mta/outbound) ---
/** Milliseconds until each next attempt; the last one repeats. */
export const RETRY_SCHEDULE_MS = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000] as const
/** Fraction by which a retry is moved at random, so that messages that failed together are not retried together. */
export const RETRY_JITTER = 0.1
/** Milliseconds after which a message expires: RFC 5321 4.5.4.1 asks for four to five days. */
export const QUEUE_EXPIRY_MS = 432_000_000
/** Milliseconds after which the sender gets a delay notice, if NOTIFY=DELAY asks for it. */
export const DELAY_NOTICE_MS = 14_400_000
/** Attempts of one claim that begin in one turn of the event loop. Each is signed then, which takes up to half a millisecond. */
export const QUEUE_BEGIN_PER_TURN = 8
/** Messages taken from the queue in one claim, each for one destination. */
export const QUEUE_CLAIM_MAX = 100
/** A claim that has found this many does not search further; the next claim takes the others. */
export const QUEUE_CLAIM_ENOUGH = 20
/** Octets of sent messages after which young objects are looked through, for the messages among them: each is there twice. */
export const QUEUE_PASSING_BYTES = 8_388_608
/**
 * Messages of newsletters after which they are looked through as well: sending one makes 70 kB of objects, and thousands are sent in a row.
 * With 160 the space for new objects took 15 MiB more.
 */
export const QUEUE_PASSING_BULK = 64
/** Messages being sent at a time by one process. */
export const QUEUE_CONCURRENCY = 600
/** Octets of messages in one claim; the others return to the queue. */
export const QUEUE_CLAIM_BYTES = 33_554_432
/** Octets of messages under way, above which nothing more is claimed. */
export const QUEUE_BYTES = 134_217_728
/**
 * Messages under way for one destination, so that a slow destination leaves room for others (promise Q4). It covers what the
 * connections carry, and those that wait for a signature, a claim or the record of the result.
 */
export const QUEUE_PER_DESTINATION = 180
/** Messages under way for one destination that has not answered yet. Each answer adds one, up to QUEUE_PER_DESTINATION. */
export const QUEUE_PER_NEW_DESTINATION = 2
/** Messages under way for one organization. */
export const QUEUE_PER_ORGANIZATION = 450
/**
 * Messages of newsletters under way, of all organizations and of one. The other slots are kept for single messages, which wait behind no
 * newsletter.
 */
export const QUEUE_BULK = 400
export const QUEUE_BULK_PER_ORGANIZATION = 150
/** Fraction of a destination's slots that newsletters leave to other mail. */
export const QUEUE_BULK_LEAVES = 1 / 4
/**
 * Messages under way to destinations that do not answer ("probes"). They are not part of QUEUE_CONCURRENCY: most of them wait and cost
 * only a socket. One organization has at most three quarters, so that its dead hosts leave room for others.
 */
export const QUEUE_PROBES = 1_000
export const QUEUE_PROBES_PER_ORGANIZATION = 750
/** Probes reserved for new mail that was not tried yet, in total and per organization, because the other probes may all last long. */
export const QUEUE_PROBES_FOR_NEW = 100
export const QUEUE_PROBES_PER_ORGANIZATION_FOR_NEW = 75
/**
 * Reserved probes that may begin per minute, and at once. As many end in OUTBOUND_FIRST_READY_MS, so one is soon free for the next
 * message even if most new mail is for dead hosts.
 */
export const QUEUE_PROBES_FOR_NEW_PER_MINUTE = 450
export const QUEUE_PROBES_FOR_NEW_BURST = 10
/** Milliseconds after its due time for which a message counts as new. */
export const QUEUE_NEW_MS = 10_000
/** Probes of destinations that were silent before. Destinations that were not tried yet get the others. */
export const QUEUE_PROBES_FAILING = 500
/** Probes that must be free before more are claimed once all were in use. The number is small because a probe may last long. */
export const QUEUE_PROBES_REFILL = 10
/** Octets of the messages of all probes. */
export const QUEUE_PROBE_BYTES = 67_108_864
/** Milliseconds without an answer after which a destination with messages under way no longer counts as one that answers. */
export const QUEUE_STALLED_MS = 10_000
/**
 * Milliseconds for which a silent destination is not tried, doubled after each further silence up to the maximum. The first rest is shorter
 * than the first wait of RETRY_SCHEDULE_MS, so that it does not delay the retry.
 */
export const QUEUE_SILENCE_REST_MS = 30_000
export const QUEUE_SILENCE_REST_MAX_MS = 300_000
/** Destinations, and hosts, that one process keeps in memory. */
export const QUEUE_DESTINATIONS_KNOWN = 20_000
/** Milliseconds before the next claim if all due messages belong to busy destinations. */
export const QUEUE_BUSY_MS = 250
/** Concurrent calls that record results of attempts. Attempts that end meanwhile are recorded together in the next call. */
export const QUEUE_REPORT_CALLS = 2
/** Rows in one window of a claim, and windows of one claim: they bound its cost when all destinations are busy. */
export const QUEUE_WINDOW_ROWS = 5_000
export const QUEUE_WINDOWS = 5
/** Queue entries in one answer, and submissions changed in one call. */
export const QUEUE_LIST_MAX = 200
/** Candidates that a claim reads for each message that it takes. */
export const QUEUE_LOOK_AHEAD = 4
/** Milliseconds of the lease of a submission unless the worker renews it: with QUEUE_SWEEP_MS at most 30 s (promise L1). */
export const QUEUE_LEASE_MS = 20_000
/** Milliseconds between two renewals: two of them may fail before the lease ends. */
export const QUEUE_RENEW_MS = 6_500
/**
 * Milliseconds without claims after the core did not respond: longer than QUEUE_RENEW_MS and QUEUE_REPORT_RETRY_MS, so that results are
 * reported and leases renewed before another worker takes the messages.
 */
export const QUEUE_REST_MS = 10_000
/** Milliseconds for which a failed report is retried. */
export const QUEUE_REPORT_MS = 1_800_000
/** Milliseconds for one attempt at one submission; recipients without a result are then deferred. */
export const QUEUE_ATTEMPT_MS = 1_200_000
/** Milliseconds between two sweeps of the queue without a notification. */
export const QUEUE_SWEEP_MS = 10_000
/** Milliseconds before a failed report is retried. */
export const QUEUE_REPORT_RETRY_MS = 5_000
/** Milliseconds that stop() waits for attempts under way; the whole process stops in STOP_MS. */
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
/** Milliseconds until a host that greeted the last time must be ready for mail: RFC 5321 4.5.3.2.1 gives five minutes to its greeting. */
export const OUTBOUND_READY_MS = 300_000
/** The same for other hosts. Each further attempt at a message doubles it, up to OUTBOUND_READY_MS. */
export const OUTBOUND_FIRST_READY_MS = 10_000
/** Milliseconds of silence of a mail host: RFC 5321 4.5.3.2.6 gives ten minutes after the final dot. */
export const OUTBOUND_SOCKET_MS = 600_000
/** Milliseconds for one DNS query, and the number of tries. */
export const DNS_TIMEOUT_MS = 2_500
export const DNS_TRIES = 2
/** Octets of one reply of a mail host. */
export const OUTBOUND_REPLY_MAX_BYTES = 65_536
/** Iterations that a relay may ask for at login (RFC 7677 4 has at least 4096); a million takes half a second of a thread. */
export const SCRAM_ITERATIONS_MIN = 4_096
export const SCRAM_ITERATIONS_MAX = 1_000_000
/** UTF-16 units of a server's reply that are kept. */
export const SMTP_REPLY_MAX_CHARS = 500
/** Limits of reading a report: groups of fields, Message-IDs that are looked up, and submissions that are compared. */
export const REPORT_MAX_GROUPS = 1_000
export const REPORT_MESSAGE_IDS_MAX = 20
export const REPORT_CANDIDATES_MAX = 20
/** Reports that a submission lists. */
export const REPORTS_PER_SUBMISSION_MAX = 200
/** Octets up to which a DSN returns the whole message; larger ones return their header only. */
export const DSN_FULL_MAX_BYTES = 65_536
/** Longest lifetime of an MTA-STS policy in milliseconds: a year (RFC 8461 3.2). */
export const STS_MAX_AGE_MS = 31_557_600_000
/** Policies cached by one process. */
export const STS_POLICIES_MAX = 10_000
/** Milliseconds before a failed fetch of a policy is retried: RFC 8461 3.3 has at least five minutes. */
export const STS_RETRY_MS = 300_000
/** Octets of a policy file, and milliseconds to fetch it (RFC 8461 3.3). */
export const STS_POLICY_MAX_BYTES = 65_536
export const STS_FETCH_MS = 30_000
/** Seconds after which our DKIM signatures expire (promise S12). */
export const DKIM_EXPIRY_SECONDS = 604_800
/** Days for which the return address of a sent message is accepted: five days of the queue, and time for slow receivers. */
export const VERP_VALID_DAYS = 30
/** Octets of the authentication code in a return address: 96 bits cannot be guessed. */
export const VERP_MAC_BYTES = 12
