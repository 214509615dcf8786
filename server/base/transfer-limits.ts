// Limits of `posthouse import` and `posthouse export`: each with its unit and the reason for its value, as in limits.ts.

/** Messages that are copied at a time: two cores and one connection have enough to do with them. */
export const TRANSFER_CONCURRENCY = 4
/** Messages of one Email/import, and objects of one Email/get: every server takes so many (RFC 8620 2 suggests at least 500). */
export const TRANSFER_BATCH = 100
/** Octets of messages that wait in memory. */
export const TRANSFER_MEMORY_BYTES = 33_554_432
/** Octets of one request of an upload: at 140 kB a second they arrive in its time. */
export const TRANSFER_PIECE_BYTES = 16_777_216
/** Milliseconds for one request, and tries of one that fails on its way or by a limit. */
export const TRANSFER_REQUEST_MS = 120_000
export const TRANSFER_TRIES = 5
/** Milliseconds before the second try; doubled each time, unless the server says how long. */
export const TRANSFER_WAIT_MS = 500
/** Milliseconds between two looks at an import that the server runs, and between two changes of the progress bar. */
export const TRANSFER_POLL_MS = 1_000
export const TRANSFER_SHOW_MS = 200
/** Milliseconds that a key of one command is valid at most; it is revoked at the end. */
export const TRANSFER_KEY_MS = 604_800_000
/** Keywords that have a letter in file names of a Maildir (Dovecot's `dovecot-keywords`). */
export const MAILDIR_KEYWORDS_MAX = 26
