// The tunables of calendars: each is a named constant with its unit and the reason for its value.

// --- JSCalendar objects (jmap/calendars/jscalendar) ---
/** Octets of the JSON of one event: room for a long description and small embedded attachments; files go by blobId. */
export const EVENT_MAX_BYTES = 1_048_576
/** Participants of one event. Each gets a message of its own when the event changes. */
export const EVENT_MAX_PARTICIPANTS = 500
/** Calendar addresses of an event and of all its overrides together: those of a class with other guests each week. */
export const EVENT_MAX_ADDRESSES = 1_000
/** Codes of what became of the last message to a participant (RFC 5545 3.8.8.3: one for each thing that was wrong). */
export const SCHEDULE_STATUSES_MAX = 20
/** Overrides of one event: more than five years of a daily meeting in which each instance differs. */
export const EVENT_MAX_OVERRIDES = 2_000
/** Alerts of one event, or by default of one calendar. Clients offer two to five. */
export const EVENT_MAX_ALERTS = 50
/** Members of any other map of an event (locations, links, keywords ...). */
export const EVENT_MAX_MEMBERS = 500
/** Items of one by-rule of a recurrence rule: RFC 5545 gives each at most 366 values on both sides of zero. */
export const RECURRENCE_MAX_ITEMS = 732
/** Characters of a name, a title, an address or a uid. */
export const EVENT_MAX_TEXT_CHARS = 1_024
/** Characters of a description. */
export const EVENT_MAX_DESCRIPTION_CHARS = 262_144
/** Days of one event: a century. */
export const EVENT_MAX_DURATION_DAYS = 36_525
/** Faults of one event that an error names. */
export const EVENT_MAX_FAULTS = 20
/** JMAP Calendars 1.5.1: dates of events. Before 1600 time zones and weekdays mean nothing; calendars of birthdays start in 1604. */
export const EVENT_MIN_DATE_TIME = '1600-01-01T00:00:00Z'
export const EVENT_MAX_DATE_TIME = '9999-12-31T00:00:00Z'

// --- Calendars (jmap/calendars) ---
/** Calendars of one account: what a person can tell apart; it bounds a list that is read whole. */
export const MAX_CALENDARS = 250
/** JMAP Calendars 4: octets of a calendar's name. */
export const CALENDAR_NAME_MAX_BYTES = 255
/** Calendars that one event may be in. */
export const MAX_CALENDARS_PER_EVENT = 50
/** JMAP Calendars 1.5.1: the longest window of a query that expands recurrences. A year and a day (decision D21). */
export const MAX_EXPANDED_QUERY_DAYS = 366
/** Instances that one query may expand to: some 10 MB of memory, and more than a hundred daily events of a year. */
export const MAX_EXPANDED_INSTANCES = 50_000
/** JMAP Calendars 1.5.2: the longest period of Principal/getAvailability (decision D22). */
export const MAX_AVAILABILITY_DAYS = 62
/** Participant identities of one account: its addresses and a few more. */
export const MAX_PARTICIPANT_IDENTITIES = 250
/** JMAP Calendars 7: notifications that are kept for an account; the oldest goes when another one comes. */
export const MAX_EVENT_NOTIFICATIONS = 500
/** Files of one CalendarEvent/parse, and octets of each. */
export const PARSE_MAX_BLOBS = 16
export const PARSE_MAX_BYTES = 4_194_304

// --- Scheduling messages that arrive (jmap/calendars/scheduling) ---
/** Octets of a calendar part after decoding: as many as an event may have. A larger one is stored with its mail and has no effect. */
export const SCHEDULING_MAX_BYTES = 1_048_576
/** Calendar parts of one mail that are read: programs send one, and often the same once more as a file. */
export const SCHEDULING_PARTS_MAX = 4
/** Components of one message that name an instance each. */
export const SCHEDULING_INSTANCES_MAX = 50
/** Members that are compared while a message splits a series: some 20 ms, in the unit of work that delivers the mail. */
export const SPLIT_MAX_COMPARED_MEMBERS = 200_000
/** Milliseconds that a delivery waits until its calendar part is read: usually 10, but parts of other mails may come before it. */
export const SCHEDULING_READ_MS = 10_000
/** Milliseconds that a mail whose calendar part was not read in time waits for each further attempt. */
export const SCHEDULING_LATE_READ_MS = 60_000
/** Milliseconds until each next attempt to read it; after the last one it has no effect. */
export const SCHEDULING_LATE_RETRY_MS: readonly number[] = [60_000, 600_000, 3_600_000]
/** Milliseconds between two such mails of one sender, whose texts are made to take long: those of others come in between. */
export const SCHEDULING_LATE_SPACE_MS = 2_000
/** Milliseconds for which one sender's mails may wait: what a flood has more of has no effect. */
export const SCHEDULING_LATE_MAX_MS = 3_600_000
/** Mails that are read at a time: one thread is left to what is delivered. */
export const SCHEDULING_LATE_CONCURRENCY = 1
export const SCHEDULING_LATE_LEASE_MS = 30_000
/** Milliseconds between two looks without a notification, and before the next one if another worker holds what is due. */
export const SCHEDULING_LATE_SWEEP_MS = 10_000
export const SCHEDULING_LATE_BUSY_MS = 1_000
/** Characters of a comment that is kept of a message. */
export const SCHEDULING_COMMENT_MAX_CHARS = 1_024
/** Participants whom an attendee may send in their place: they get mail with each change. */
export const SCHEDULING_DELEGATES_MAX = 5
/** Milliseconds in which the same invitation makes an event once: longer than a year, the longest time to most meetings. */
export const SCHEDULING_REMEMBER_MS = 34_560_000_000
/** Octets of the event in a notification; a larger event is cut down to what says which event it is. */
export const NOTIFICATION_EVENT_MAX_BYTES = 32_768

// --- Events over REST (decision D21) ---
export const REMINDERS_MAX = 5
/** Four weeks. */
export const REMINDER_MAX_MINUTES = 40_320
export const ATTENDEES_MAX = 100
export const EVENT_TITLE_MAX_CHARS = 500
export const EVENT_PAGE_DEFAULT = 100
export const EVENT_PAGE_MAX = 250
