// Limits of the spam filter: as in limits.ts, each with its unit and the reason for its value.

/** Points at and above which a message is junk, unless its mailbox says otherwise (api/decisions.md: 1 to 14). */
export const SPAM_THRESHOLD_DEFAULT = 6
/** Points that all DNS lists together give at most: one mistaken operator of several lists must not decide alone. */
export const SPAM_DNS_LISTS_MAX_SCORE = 6
/** Characters of what a symbol was found in. */
export const SPAM_DETAIL_MAX_CHARS = 80
