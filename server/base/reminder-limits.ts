// Limits of reminders (jmap/calendars/reminders): each with its unit and the reason for its value, as in limits.ts.

/** Milliseconds that a reminder may be overdue and is still sent by itself. Later ones are in one summary. */
export const REMINDER_LATE_MS = 900_000
/**
 * Alerts of one account in an hour, mails and pushes together (JMAP Calendars 8.3 demands a limit): a calendar full of meetings with
 * two alerts each has some 30. Mails beyond it are in one summary.
 */
export const REMINDERS_PER_HOUR = 120
export const REMINDERS_WINDOW_MS = 3_600_000
/** Alerts that a summary names; it says how many more there are. */
export const REMINDER_SUMMARY_MAX = 100
/** Events of one account that are calculated in one turn: about 10 ms, at the worst a second. */
export const REMINDER_EVENTS_PER_TURN = 100
/** Alerts of one event that one turn finds. A rule that repeats every second has more, and nobody reads them. */
export const REMINDERS_PER_EVENT = 100
/** Instances that the search for one alert of an event looks at. */
export const REMINDER_INSTANCES_MAX = 2_000
/** Milliseconds until an event is calculated again whose next alert was not found within that: its rule repeats very often. */
export const REMINDER_DENSE_MS = 60_000
/** Milliseconds until an event is calculated again that costs too much (promise C3), and an account that is suspended. */
export const REMINDER_COSTLY_MS = 86_400_000
export const REMINDER_SUSPENDED_MS = 3_600_000
/** Accounts that one process works on at a time. Each takes some 5 ms of CPU, and waits for its commit. */
export const REMINDER_CONCURRENCY = 8
/** Milliseconds of the lease of an account: with the sweep, a crash delays reminders by at most 30 s (promise L1). */
export const REMINDER_LEASE_MS = 20_000
/** Milliseconds between two looks for due accounts without a notification. */
export const REMINDER_SWEEP_MS = 10_000
/** Milliseconds between two claims while others hold the due accounts. */
export const REMINDER_BUSY_MS = 1_000
/** Milliseconds from a change of an event to its calculation: an import changes many. */
export const REMINDER_GATHER_MS = 500
/**
 * Milliseconds that triggered alerts are kept for clients that reconnect and push services that fail, and for which a client whose position
 * is unknown gets them.
 */
export const ALERT_KEPT_MS = 900_000
export const ALERT_RECENT_MS = 60_000
/** Characters of a title, a place and a link in a reminder. */
export const REMINDER_TEXT_MAX_CHARS = 300
