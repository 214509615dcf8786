/** Time zones for conversion: local times as text and milliseconds, by the offsets of jmap/calendars/recurrence/zone-offsets.ts. */
import { Work } from '../recurrence/work.ts'
import { isTimeZone, zoneOffsets } from '../recurrence/zone-offsets.ts'
import { fromMs, toMs } from './local-time.ts'

/** The zones and years of one text are bounded, so that steps are not counted. */
const UNCOUNTED = new Work(Number.POSITIVE_INFINITY)

/** The zone's canonical name; the same for all its aliases. */
export function canonicalZone(zone: string): string {
  return isTimeZone(zone) ? zoneOffsets(zone).name : zone
}

/** Milliseconds to add to UTC. An unknown zone counts as UTC. */
export function offsetAt(zone: string, utcMs: number): number {
  return isTimeZone(zone) ? zoneOffsets(zone).offsetAt(Math.floor(utcMs / 1_000), UNCOUNTED) * 1_000 : 0
}

/**
 * UTC milliseconds of a local time. A time that occurs twice is the first one; one that is skipped counts with the offset before
 * (jscalendarbis 1.5.5, RFC 5545 3.3.5).
 */
export function toUtc(local: string, zone: string): number {
  const ms = toMs(local)
  return isTimeZone(zone) ? zoneOffsets(zone).toUtc(Math.floor(ms / 1_000), UNCOUNTED) * 1_000 : ms
}

/** LocalDateTime of UTC milliseconds. */
export function toLocal(utcMs: number, zone: string): string {
  return fromMs(utcMs + offsetAt(zone, utcMs))
}

/** A change of a zone's offset. */
export interface Transition {
  /** UTC milliseconds. */
  readonly at: number
  /** Milliseconds to add to UTC, before and from then on. */
  readonly from: number
  readonly to: number
}

/** The changes of a zone's offset in years, both included. */
export function transitions(zone: string, firstYear: number, lastYear: number): Transition[] {
  if (!isTimeZone(zone)) return []
  const changes = zoneOffsets(zone).changes(firstYear, lastYear, UNCOUNTED)
  return changes.map(({ at, from, to }) => ({ at: at * 1_000, from: from * 1_000, to: to * 1_000 }))
}
