// Limits of calendar files and feeds (jmap/calendars/exchange, jmap/calendars/feed): each with its unit and the reason for its value, as in
// limits.ts.

// --- Texts of whole calendars ---
/** UTF-16 units after which a page of a text ends: it takes some 50 ms to write, and is passed between threads as one string. */
export const EXPORT_PAGE_CHARS = 262_144
/** Events that are read at once. Each has at most 1 MB of JSON. */
export const EXPORT_STEP_EVENTS = 20
/**
 * UTF-16 units of one event in a text. Each instance that differs repeats what the series says, so 1 MB of JSON with 2,000 overrides would
 * become 2 GB.
 */
export const EXPORT_EVENT_MAX_CHARS = 8_000_000
/** Time zones that one page may begin to use: the offsets of each take up to 30 ms. */
export const EXPORT_PAGE_ZONES = 10
/** The earliest year whose changes of the clock a text describes. Before it few programs follow VTIMEZONE. */
export const EXPORT_MIN_ZONE_YEAR = 1970
/** Years after the present for which zones are described, beside those that a regular zone goes on for (ICALENDAR_ZONE_YEARS). */
export const EXPORT_ZONE_YEARS_AHEAD = 5
/** UTF-16 units of the argument that asks for the next page: names of 600 zones in base64. */
export const EXPORT_PLACE_MAX_CHARS = 40_000

// --- Imports ---
/** Octets of one file (decision D32). */
export const IMPORT_MAX_BYTES = 10_000_000
/** Events of one file: a calendar of years. They are written in some 10 s. */
export const IMPORT_MAX_EVENTS = 10_000
/** Events of one unit of work, and UTF-16 units of their JSON: the writer serves others between them. */
export const IMPORT_STEP_EVENTS = 20
export const IMPORT_STEP_CHARS = 262_144
/** Steps (calendar-limits.ts) of a series that is stored in a unit of work of its own: 2 ms. */
export const IMPORT_COSTLY_STEPS = 200_000
/** Steps of all series of one file: a second of CPU. 10,000 weekly meetings take a tenth of it. */
export const IMPORT_MAX_STEPS = 100_000_000
/** Failed events that are listed; all are counted. */
export const IMPORT_MAX_FAILURES = 100

// --- Feeds ---
/** Feeds of one mailbox: one for each person or program that reads it. It bounds a list that is read whole. */
export const MAX_CALENDAR_FEEDS = 100
/** How often subscribers should read a feed again, as a Duration. Programs ask every 15 minutes to once a day. */
export const FEED_REFRESH = 'PT1H'
/** Requests of one client for feeds in a minute: an office behind one address, each person with a few feeds. */
export const FEED_READS_PER_MINUTE = 300
/** Octets of compressed feeds that are kept in memory: some 30 calendars of 10,000 events. */
export const FEED_CACHE_BYTES = 16_777_216
/** Octets of one compressed feed: some 200,000 events. */
export const FEED_MAX_BYTES = 16_777_216
/** Feeds that are made at once, and requests that wait for others. Each reads one page at a time in a reading thread. */
export const FEEDS_MADE_AT_ONCE = 2
export const FEEDS_WAITING_MAX = 200
