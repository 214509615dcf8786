/** Messages about events (jmap/calendars/itip, jmap/calendars/scheduling): each is a named constant with its unit and the reason for its value. */

/** Instances of one series that get a message each. Many programs read only the first event of a message; more at once are a change of the series. */
export const INSTANCES_ALONE_MAX = 5
/** Recipients of one mail: all of them stand in its To. */
export const SCHEDULING_RECIPIENTS_MAX = 50
/** Characters of the iCalendar text of one message: it stands in the mail twice, and writing it takes some 2 s of CPU. */
export const SCHEDULING_MAX_CHARS = 4_194_304
/** Characters of all messages of one change. Each attendee may see another series, so that a change could cost hours. */
export const SCHEDULING_CHANGE_MAX_CHARS = 16_777_216
/** Octets of a change up to which its messages are written in the calling thread: a few dozen instances. */
export const SCHEDULING_HERE_MAX_BYTES = 4_096
/** Octets of the files in one mail, as a mail has room everywhere (RFC 5321 4.5.3.1 names none; many servers take 10 MB, in base64). */
export const SCHEDULING_ATTACHED_MAX_BYTES = 5_242_880
/** Files in one mail. */
export const SCHEDULING_ATTACHED_MAX_FILES = 20
/** Octets of the files in all mails of one change: those to ten groups of recipients. Later mails go without them. */
export const SCHEDULING_CHANGE_MAX_ATTACHED_BYTES = 52_428_800
/** Characters of a description that the text beside the calendar repeats. */
export const SCHEDULING_TEXT_MAX_CHARS = 4_000

// --- The queue (jmap/calendars/scheduling/outgoing-queue.ts, server/workers/scheduling-messages.ts) ---
/** Changes whose messages are written at a time: each has one event in memory. */
export const SCHEDULING_CONCURRENCY = 2
/** Milliseconds after which the messages of a worker that died are written by another one. Leases are renewed while it lives. */
export const SCHEDULING_LEASE_MS = 30_000
/** Milliseconds between two looks without a notification. */
export const SCHEDULING_SWEEP_MS = 10_000
/** Milliseconds before the next look if another worker holds what is due. */
export const SCHEDULING_BUSY_MS = 1_000
/** Milliseconds until each next attempt, if sending is limited or a message cannot be written. An invitation of yesterday is of little use. */
export const SCHEDULING_RETRY_MS: readonly number[] = [60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]

// --- Mails (jmap/calendars/scheduling/calendar-mail.ts) ---
/** Characters of a subject or a name in a header: no program shows more. */
export const CALENDAR_SUBJECT_MAX_CHARS = 250
