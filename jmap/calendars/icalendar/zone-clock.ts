/** Time zones for conversion: local times as text and milliseconds, by the offsets of jmap/calendars/recurrence/zone-offsets.ts. */
import { Work } from '../recurrence/work.ts'
import { isTimeZone, zoneOffsets } from '../recurrence/zone-offsets.ts'
import { fromMs, toMs } from './local-time.ts'

const SPAN_MS = 14 * 86_400_000

/** The zones and years of one text are bounded, so that steps are not counted. */
const UNCOUNTED = new Work(Number.POSITIVE_INFINITY)

/** If the IANA database has the name, in any case. */
export function isZone(zone: string): boolean {
  return isTimeZone(zone)
}

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
  const found: Transition[] = []
  const start = Date.UTC(firstYear, 0)
  const end = Date.UTC(lastYear + 1, 0)
  let from = offsetAt(zone, start)
  for (let low = start; low < end; ) {
    // No zone changes twice within a span.
    const high = Math.min(low + SPAN_MS, end)
    const to = offsetAt(zone, high)
    if (to !== from) found.push({ at: changeBetween(zone, low, high, from), from, to })
    from = to
    low = high
  }
  return found
}

/** The first second with another offset than `from`, in milliseconds. */
function changeBetween(zone: string, start: number, end: number, from: number): number {
  let low = Math.floor(start / 1_000)
  let high = Math.ceil(end / 1_000)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * 1_000) === from) low = middle
    else high = middle
  }
  return high * 1_000
}
