// Limits of the spam filter: each with its unit and the reason for its value, as in limits.ts.

/** Points from which a message is junk, unless its mailbox has another threshold (1 to 14; decision D8). */
export const SPAM_THRESHOLD_DEFAULT = 6
/** Points that all DNS lists together give at most: one mistaken operator of several lists must not decide alone. */
export const SPAM_DNS_LISTS_MAX_SCORE = 6
/** Characters of a symbol's detail. */
export const SPAM_DETAIL_MAX_CHARS = 80

// --- What is read of a message: enough for any letter, and bounded for messages that attack the filter. ---
/** UTF-16 units of its subject, and of each name and address. */
export const SPAM_SUBJECT_MAX_CHARS = 1_000
/** UTF-16 units of its text. */
export const SPAM_TEXT_MAX_CHARS = 24_576
/** Octets of its HTML source. */
export const SPAM_HTML_MAX_BYTES = 65_536
export const SPAM_WORDS_MAX = 4_000
export const SPAM_LINKS_MAX = 100
/** Encoded octets of an archive in which names are searched. */
export const SPAM_ARCHIVE_MAX_BYTES = 262_144
/** Milliseconds that the Date of a message may be in the future: clocks and zones are often wrong by hours. */
export const SPAM_FUTURE_MS = 43_200_000
/** Milliseconds that it may be in the past: mail waits in queues for days, but not for weeks. */
export const SPAM_PAST_MS = 1_209_600_000

// --- The classifier ---
/** Distinct tokens of one message that are learned and looked up. */
export const SPAM_TOKENS_MAX = 500
/** Longer words are codes and are ignored. */
export const SPAM_WORD_MAX_CHARS = 24
/** Learned messages of each kind before the classifier gives a result. */
export const BAYES_LEARNED_MIN = 40
/** Learned messages of each kind from which its result has full weight. */
export const BAYES_LEARNED_WELL = 200
/** Significant tokens below which a message is too unusual for a result. */
export const BAYES_TOKENS_NEEDED = 5
/** Number of the most significant tokens that are combined. */
export const BAYES_CLUES_MAX = 75
/** Messages that are learned in one commit, for which deliveries wait. */
export const SPAM_LESSONS_AT_ONCE = 8
/** Marks that are read at once. */
export const SPAM_MARKS_SLICE = 32
/** Tokens that an organization's classifier keeps: some 4 MB of memory and 6 MB of disk; the oldest are dropped first. */
export const BAYES_TOKENS_MAX = 150_000
/** Days after which an unused token is dropped: spam changes from year to year. */
export const BAYES_FORGET_DAYS = 365
/** Learned messages between two checks for tokens to drop. */
export const BAYES_FORGET_EVERY = 64
/** Rows per read. */
export const BAYES_PAGE = 5_000
/** Milliseconds between two checks whether another process has learned. */
export const BAYES_RELOAD_MS = 300_000
/** Organizations whose classifiers are kept in memory. */
export const BAYES_MODELS_MAX = 32

// --- Rspamd ---
/** Milliseconds for a response: Rspamd sends DNS queries itself. */
export const RSPAMD_TIMEOUT_MS = 10_000
/** Milliseconds without a request after a failure. */
export const RSPAMD_REST_MS = 30_000
/** Octets of its response. */
export const RSPAMD_MAX_ANSWER_BYTES = 262_144
/** Symbols of it that are kept. */
export const RSPAMD_SYMBOLS_MAX = 60
