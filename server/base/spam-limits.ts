// Limits of the spam filter: as in limits.ts, each with its unit and the reason for its value.

/** Points at and above which a message is junk, unless its mailbox says otherwise (1 to 14; decision D8). */
export const SPAM_THRESHOLD_DEFAULT = 6
/** Points that all DNS lists together give at most: one mistaken operator of several lists must not decide alone. */
export const SPAM_DNS_LISTS_MAX_SCORE = 6
/** Characters of what a symbol was found in. */
export const SPAM_DETAIL_MAX_CHARS = 80

// --- What is looked at of a message: enough for any letter, and bounded for those that are made to take time. ---
/** UTF-16 units of its subject, and of each name and address. */
export const SPAM_SUBJECT_MAX_CHARS = 1_000
/** UTF-16 units of its text. */
export const SPAM_TEXT_MAX_CHARS = 24_576
/** Octets of its HTML source. */
export const SPAM_HTML_MAX_BYTES = 65_536
export const SPAM_WORDS_MAX = 4_000
export const SPAM_LINKS_MAX = 100
/** Encoded octets of an archive in which names are looked for. */
export const SPAM_ARCHIVE_MAX_BYTES = 262_144
/** Milliseconds that the Date of a message may lie ahead: clocks and zones are set wrong by hours. */
export const SPAM_FUTURE_MS = 43_200_000
/** Milliseconds that it may lie behind: mail waits in queues for days, never for weeks. */
export const SPAM_PAST_MS = 1_209_600_000

// --- The classifier ---
/** Different tokens that are learned of one message, and asked for. */
export const SPAM_TOKENS_MAX = 500
/** Longer words are codes. */
export const SPAM_WORD_MAX_CHARS = 24
/** Messages of either kind that must have been learned before the classifier is asked. */
export const BAYES_LEARNED_MIN = 40
/** Messages of either kind from which on its word has full weight. */
export const BAYES_LEARNED_WELL = 200
/** Tokens that tell something, below which a message is too strange to judge. */
export const BAYES_TOKENS_NEEDED = 5
/** Tokens that are combined: the most telling ones. */
export const BAYES_CLUES_MAX = 75
/** Messages that are learned in one commit: deliveries wait for it. */
export const SPAM_LESSONS_AT_ONCE = 8
/** Marks that are looked for at once. */
export const SPAM_MARKS_SLICE = 32
/** Tokens that an organization's classifier keeps: some 4 MB of memory and 6 MB of disk; those learned longest ago go first. */
export const BAYES_TOKENS_MAX = 150_000
/** Days after which what was learned and never met again is forgotten: spam is of its year. */
export const BAYES_FORGET_DAYS = 365
/** Messages learned between two looks whether something is to be forgotten. */
export const BAYES_FORGET_EVERY = 64
/** Rows that are read at once. */
export const BAYES_PAGE = 5_000
/** Milliseconds between two looks whether another process has learned. */
export const BAYES_RELOAD_MS = 300_000
/** Organizations whose classifiers are kept in memory. */
export const BAYES_MODELS_MAX = 32

// --- Rspamd ---
/** Milliseconds that it has: it asks the DNS itself. */
export const RSPAMD_TIMEOUT_MS = 10_000
/** Milliseconds that it is left alone after it failed. */
export const RSPAMD_REST_MS = 30_000
/** Octets of its answer. */
export const RSPAMD_MAX_ANSWER_BYTES = 262_144
/** Symbols that are kept of it. */
export const RSPAMD_SYMBOLS_MAX = 60
