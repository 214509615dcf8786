// Limits of calendars (jmap/calendars): each with its unit and the reason for its value, as in limits.ts.

/** Instances that one expansion returns, and overrides that an event may have (promise C3). */
export const RECURRENCE_INSTANCES_MAX = 10_000
export const RECURRENCE_OVERRIDES_MAX = 10_000
/** Steps of one expansion, of about 10 ns each: well below the 50 ms of CPU that it may cost, also on a slow machine (promise C3). */
export const RECURRENCE_STEPS_MAX = 1_000_000
/**
 * Instances and steps of each event when many are expanded for one answer: a daily event in the longest window, and what the offsets of a
 * new zone cost. An event that needs more waits until the others are done (jmap/calendars/recurrence/shared-expansion.ts).
 */
export const RECURRENCE_SHARE_INSTANCES = 400
export const RECURRENCE_SHARE_STEPS = 100_000
/** Years of each time zone whose offsets are kept in memory; each takes about 300 octets. */
export const ZONE_YEARS_MAX = 300
/** Octets of prepared events that a thread keeps: about 20,000 events with a rule. */
export const PREPARED_OCTETS_MAX = 33_554_432
/** Octets of the times of events that a thread keeps: about 200,000 events. */
export const KEPT_TIMES_OCTETS_MAX = 33_554_432
/** Events of an account whose times are kept. Of more, each query reads those of its window. */
export const KEPT_TIMES_ACCOUNT_MAX = 50_000
/** Rows of the change log by which kept times are brought up to date; after more changes all are read again. */
export const KEPT_CHANGES_MAX = 1_000
/** Octets of lists of instances that a thread keeps: about 50 months with 7,000 instances of 1,000 events. */
export const KEPT_LISTS_OCTETS_MAX = 16_777_216
/** Of more changed events, as a part of all in the window, a list is made anew. */
export const KEPT_LISTS_CHANGED_PART = 1 / 8
