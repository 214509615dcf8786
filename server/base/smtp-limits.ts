// Limits of SMTP, where mail comes in and is submitted (mta/smtp, mta/inbound, mta/submission): as in limits.ts, each with its unit and the reason.

/** Octets of one message, advertised by SIZE (RFC 1870): the large mailbox providers also accept this size. */
export const SMTP_MAX_MESSAGE_BYTES = 52_428_800
/** Octets of messages that one listener is receiving; above it DATA is refused with 452 4.3.1, so that memory stays bounded. */
export const SMTP_MAX_RECEIVING_BYTES = 134_217_728
/** Recipients of one message: RFC 5321 4.5.3.1.8 asks for at least 100. */
export const SMTP_MAX_RECIPIENTS = 1_000
/** Connections of one listener. */
export const SMTP_MAX_CONNECTIONS = 1_000
/** Connections from one IPv4 address, or one IPv6 /64. */
export const SMTP_MAX_CONNECTIONS_PER_ADDRESS = 50
/** Connections from one IPv4 /24, or one IPv6 /48. */
export const SMTP_MAX_CONNECTIONS_PER_NETWORK = 100
/** Messages on one connection; then the peer must reconnect, so that no peer keeps a connection for ever. */
export const SMTP_MAX_MESSAGES_PER_CONNECTION = 10_000
/** Octets of a command line on port 25: four times RFC 5321 4.5.3.1.4, for long ORCPT and ENVID parameters. */
export const SMTP_MAX_COMMAND_BYTES = 2_048
/** Octets of a command line on the submission ports: RFC 4954 4 gives AUTH lines 12,288. */
export const SUBMISSION_MAX_COMMAND_BYTES = 12_288
/** Replies 5xx on one connection before it is closed. */
export const SMTP_MAX_ERRORS = 20
/** Failed AUTH attempts on one connection before it is closed. */
export const SMTP_MAX_AUTH_FAILURES = 3
/** Milliseconds to wait for a client's next command: RFC 5321 4.5.3.2.7 asks for at least five minutes. */
export const SMTP_IDLE_MS = 300_000
/** Milliseconds from the start of a submission connection until AUTH must have succeeded. */
export const SUBMISSION_AUTH_MS = 60_000
/** Milliseconds for the data of one message: slow links send 50 MB in half an hour; a slowloris attack would not end. */
export const SMTP_DATA_MS = 1_800_000
/** Milliseconds between two checks of the time limits of connections. */
export const SMTP_SWEEP_MS = 5_000
/** Milliseconds that stop() waits for messages whose DATA has begun; the whole process stops in STOP_MS. */
export const SMTP_STOP_MS = 7_000
/** Received fields from which a message counts as looping: RFC 5321 6.3 asks for at least 100, promise S8 for 50. */
export const SMTP_MAX_HOPS = 50
/** Messages in one call of the core; they share one commit. */
export const INGEST_BATCH_MESSAGES = 64
/** Octets of messages in such a call. */
export const INGEST_BATCH_BYTES = 8_388_608
/** Remembered messages that were stored for some recipients only, so that the sender's retry does not store them twice. */
export const PARTIAL_DELIVERIES_MAX = 1_000
