// Limits of reading reports on mail (jmap/mail/reports): each with its unit and the reason for its value, as in limits.ts.

/** Octets of one part of a report that are read: notices are short, and the returned message after them is not needed. */
export const REPORT_PART_BYTES = 262_144
/** UTF-16 units of a notice that are read. */
export const REPORT_NOTICE_CHARS = 65_536
/** Units of one of its lines. */
export const REPORT_LINE_CHARS = 8_000
/** Recipients in one report: as many as an outgoing message has at most, with room. */
export const REPORT_RECIPIENTS_MAX = 1_000
/** Units of a diagnosis that are kept. */
export const REPORT_DIAGNOSIS_CHARS = 2_000
/** Units of a notice in which the reason is searched: more than the longest known notice has before the returned message. */
export const REPORT_WORDS_CHARS = 8_192
/** Octets of the body of a complaint in which its return address is searched beside the sockets: the report and the returned header. */
export const COMPLAINT_BODY_BYTES = 131_072
