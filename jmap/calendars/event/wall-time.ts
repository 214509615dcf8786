/** Instants and wall times of IANA zones, in milliseconds, by the rules that recurrences follow (jmap/calendars/recurrence). */
import { Work } from '../recurrence/work.ts'
import { isTimeZone, zoneOffsets } from '../recurrence/zone-offsets.ts'

export { isTimeZone }

/**
 * The instant of a local time (milliseconds as `Date.UTC` counts them). Of two the first; in a gap the offset before it applies
 * (RFC 5545 3.3.5).
 */
export function instantOfLocal(local: number, zone: string): number {
  return zoneOffsets(zone).toUtc(local / 1000, new Work()) * 1000
}

/** The local time at an instant of whole seconds. */
export function localOfInstant(instant: number, zone: string): number {
  return instant + zoneOffsets(zone).offsetAt(instant / 1000, new Work()) * 1000
}
