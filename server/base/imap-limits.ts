// Limits of imports from IMAP servers, which may lie: each with its unit and the reason for its value, as in limits.ts.

// --- One connection (server/imports/imap) ---
/** Milliseconds for name, connection, TLS, greeting and login. Decision D33 gives the whole try of a login 30 s, with the search for the host. */
export const IMAP_CONNECT_MS = 12_000
/** Milliseconds for the whole try of a login (decision D33). */
export const IMAP_LOGIN_MS = 28_000
/** Milliseconds without a single octet after which a connection counts as cut. */
export const IMAP_SILENCE_MS = 60_000
/** Octets of a line: the longest legitimate ones list the labels of a message. */
export const IMAP_LINE_MAX_BYTES = 65_536
/** Octets of one literal: above the largest message that is stored (MAX_SIZE_UPLOAD), so that only lies exceed it. */
export const IMAP_LITERAL_MAX_BYTES = 67_108_864
/** Octets of one literal before a message is asked for: names of folders may be literals. */
export const IMAP_NAME_MAX_BYTES = 65_536
/** Octets of the list of all folders: 100,000 of them. */
export const IMAP_LIST_MAX_BYTES = 16_777_216
/** Folders that are read; more are refused, since no mailbox holds them. */
export const IMAP_FOLDERS_MAX = 20_000
/** Characters of the server's name of a folder. */
export const IMAP_KEY_MAX_CHARS = 1_000
/** Milliseconds for a command that sends no messages. */
export const IMAP_COMMAND_MS = 120_000
/** Octets a second below which a transfer of messages is given up, after IMAP_COMMAND_MS. Slow lines have more. */
export const IMAP_SLOWEST_BYTES_PER_SECOND = 4_096

// --- Reading of a folder ---
/** Messages whose flags and dates are read at a time: some 100 kB. */
export const IMAP_WINDOW = 500
/** Messages, and octets, that are read by one command. One group is read while the one before is stored. */
export const IMAP_GROUP_MESSAGES = 64
export const IMAP_GROUP_BYTES = 1_048_576
/** Breaches of the protocol in one run, such as a size that is wrong by far, after which a server is given up. */
export const IMAP_BREACHES_MAX = 10

// --- Finding the host of an address (RFC 6186, autoconfiguration) ---
/** Milliseconds of a question to the DNS, and questions for one name. */
export const IMAP_DNS_MS = 3_000
export const IMAP_DNS_TRIES = 2
/** Octets and milliseconds of an autoconfiguration file: real ones have 4 kB. */
export const AUTOCONFIG_MAX_BYTES = 65_536
export const AUTOCONFIG_MS = 4_000
/** Hosts that are tried for one login. */
export const IMAP_TARGETS_MAX = 4

// --- Threads (server/threads/imap-threads.ts) ---
/** MiB of heap of a thread that reads one account. Octets of messages lie outside of it. */
export const IMAP_THREAD_HEAP_MIB = 128
/** Milliseconds between two signs of life of a thread, and without one until it is ended: a hostile answer keeps it busy. */
export const IMAP_BEAT_MS = 5_000
export const IMAP_DEAD_MS = 60_000
/** Milliseconds after which the thread for logins ends when nobody logs in. */
export const IMAP_LOGIN_IDLE_MS = 30_000
