// Limits of iCalendar (jmap/calendars/icalendar): each with its unit and the reason for its value, as in limits.ts. Reading is synchronous
// and cannot be stopped, so its input is bounded before.

/** Octets of one iCalendar text: 10,000 events with descriptions take some 10 MB. */
export const ICALENDAR_MAX_BYTES = 20_000_000
/** Lines of one text as they stand, folded at 75 octets: 20 for each of 20,000 events. */
export const ICALENDAR_MAX_LINES = 400_000
/** UTF-16 units of one unfolded line: an attachment that is written into the event. */
export const ICALENDAR_LINE_MAX_CHARS = 14_000_000
/** UTF-16 units of the name and the parameters of one line: an attendee with long names has 2,000. */
export const ICALENDAR_PARAMETERS_MAX_CHARS = 65_536
/** Components of one text, those inside of others included. */
export const ICALENDAR_MAX_COMPONENTS = 60_000
/** Components inside of one another: VCALENDAR, VEVENT, VALARM and PARTICIPANT need four (RFC 9073). */
export const ICALENDAR_MAX_DEPTH = 8
/** Properties of one component: an event with 1,000 attendees has some 1,100. */
export const ICALENDAR_MAX_PROPERTIES = 20_000
/** Recurrence dates and exceptions of one event, and values of one line. */
export const ICALENDAR_MAX_DATES = 20_000
/** Faults that are reported of one text; the rest is only counted. */
export const ICALENDAR_MAX_FAULTS = 100
/** Time zones of one text that are looked up by their rules, which compares each with some 500 zones. */
export const ICALENDAR_MAX_COMPARED_ZONES = 20
/** Years after the last date of a text for which its zones' transitions are computed; a regular zone goes on by a rule. */
export const ICALENDAR_ZONE_YEARS = 30
/** UTF-16 units of a value of JSPROP, and its depth: a property of another server. */
export const ICALENDAR_JSPROP_MAX_CHARS = 65_536
/** UTF-16 units of the plain text that is written beside a description in HTML. */
export const ICALENDAR_PLAIN_MAX_CHARS = 100_000
/** UTF-16 units of a text that is written: the instances of a series repeat what the series says. */
export const ICALENDAR_WRITTEN_MAX_CHARS = 100_000_000
/** Rules of one text that are expanded, because iCalendar says by a rule what JSCalendar says by dates. Each takes 20 ms at most. */
export const ICALENDAR_MAX_EXPANSIONS = 50
/** Parts of one VTIMEZONE, and dates of all of them: no zone has changed its offset 400 times since 1900. */
export const ICALENDAR_MAX_OBSERVANCES = 400
/** Time zones of one text: the offsets of each take up to 20 ms for 60 years. */
export const ICALENDAR_MAX_ZONES = 100
/** Changes of "this and future" that split one series; each copies what comes after it. */
export const ICALENDAR_MAX_SPLITS = 20
/** UTF-16 units of a rule: all values that its parts may have take some 20,000. */
export const ICALENDAR_RULE_MAX_CHARS = 65_536
/**
 * Members of series that are compared with those of their instances, in one text. 365 instances of a meeting of 500 take 3 million; each
 * takes up to a microsecond.
 */
export const ICALENDAR_MAX_COMPARED_MEMBERS = 4_000_000
