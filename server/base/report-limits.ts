// Limits of what is read of reports on mail (jmap/mail/reports): as in limits.ts, each with its unit and the reason for its value.

/** Octets of one part of a report that are read: notices are short, and what is sent back behind them is not needed. */
export const REPORT_PART_BYTES = 262_144
/** UTF-16 units of a notice that are looked at. */
export const REPORT_NOTICE_CHARS = 65_536
/** Units of one of its lines. */
export const REPORT_LINE_CHARS = 8_000
/** Recipients that one report may name: as many as a message of ours has at most, with room. */
export const REPORT_RECIPIENTS_MAX = 1_000
/** Units of a diagnosis that are kept. */
export const REPORT_DIAGNOSIS_CHARS = 2_000
/** Units of a notice in which the reason is looked for: more than the longest of them has before the message that it sends back. */
export const REPORT_WORDS_CHARS = 8_192
