/** The rules of IANA time zones, from the ICU of Node: offsets, and conversion between local time and UTC. */
import { ICALENDAR_KEPT_ZONES } from '../../../server/base/icalendar-limits.ts'
import { fromMs, toMs } from './local-time.ts'

const MINUTE_MS = 60_000

/** Two weeks: Morocco's time of Ramadan, the shortest in use, takes four. */
const SPAN_MS = 14 * 86_400_000

interface Clock {
  readonly name: string
  readonly format: Intl.DateTimeFormat
  /** Offsets at the beginning of spans, by their number; Intl takes some microseconds for each. */
  readonly spans: Map<number, number>
}

const clocks = new Map<string, Clock | null>()

function clockOf(zone: string): Clock | null {
  const known = clocks.get(zone)
  if (known !== undefined) return known
  const clock = openClock(zone)
  if (clocks.size >= ICALENDAR_KEPT_ZONES * 5) clocks.clear()
  clocks.set(zone, clock)
  return clock
}

function openClock(zone: string): Clock | null {
  // Offsets such as +01:00 are known to Intl, but they are no names of the database.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(zone)) return null
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    return { name: format.resolvedOptions().timeZone, format, spans: new Map() }
  } catch {
    return null
  }
}

/** If the IANA database has the name. */
export function isZone(zone: string): boolean {
  return clockOf(zone) !== null
}

/** The zone's canonical name; the same for all its aliases. */
export function canonicalZone(zone: string): string {
  return clockOf(zone)?.name ?? zone
}

/** Milliseconds to add to UTC. Without the zone: 0. */
export function offsetAt(zone: string, utcMs: number): number {
  if (zone === 'Etc/UTC' || zone === 'UTC') return 0
  const clock = clockOf(zone)
  if (clock === null) return 0
  const span = Math.floor(utcMs / SPAN_MS)
  const first = spanOffset(clock, span)
  // A span has one change at most.
  return first === spanOffset(clock, span + 1) ? first : formattedOffset(clock.format, utcMs)
}

function spanOffset(clock: Clock, span: number): number {
  const known = clock.spans.get(span)
  if (known !== undefined) return known
  if (clock.spans.size >= 5_000) clock.spans.clear()
  const offset = formattedOffset(clock.format, span * SPAN_MS)
  clock.spans.set(span, offset)
  return offset
}

function formattedOffset(format: Intl.DateTimeFormat, utcMs: number): number {
  const whole = Math.floor(utcMs / 1_000) * 1_000
  return localMs(format, whole) - whole
}

function localMs(format: Intl.DateTimeFormat, utcMs: number): number {
  const part: { [type: string]: string } = {}
  for (const { type, value } of format.formatToParts(utcMs)) part[type] = value
  const year = part['era'] === 'BC' ? 1 - Number(part['year']) : Number(part['year'])
  const date = new Date(0)
  date.setUTCFullYear(year, Number(part['month']) - 1, Number(part['day']))
  date.setUTCHours(Number(part['hour']), Number(part['minute']), Number(part['second']))
  return date.getTime()
}

/**
 * UTC milliseconds of a local time. A time that occurs twice is the first one; one that is skipped counts with the offset before
 * (jscalendarbis 1.5.5, RFC 5545 3.3.5).
 */
export function toUtc(local: string, zone: string): number {
  const ms = toMs(local)
  const before = offsetAt(zone, ms - 86_400_000)
  const after = offsetAt(zone, ms + 86_400_000)
  if (before === after && offsetAt(zone, ms - before) === before) return ms - before
  // With the offset before a transition: right before it, in a gap, and for the first of two.
  const early = ms - before
  if (offsetAt(zone, early) === before) return early
  const late = ms - after
  return offsetAt(zone, late) === after ? late : early
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

const kept = new Map<string, { readonly first: number; readonly last: number; readonly list: readonly Transition[] }>()

/** The changes of a zone's offset in years, both included. */
export function transitions(zone: string, firstYear: number, lastYear: number): readonly Transition[] {
  const known = kept.get(zone)
  if (known !== undefined && known.first <= firstYear && known.last >= lastYear) {
    return known.list.filter(({ at }) => at >= Date.UTC(firstYear, 0) && at < Date.UTC(lastYear + 1, 0))
  }
  const list = findTransitions(zone, Date.UTC(firstYear, 0), Date.UTC(lastYear + 1, 0))
  if (kept.size >= ICALENDAR_KEPT_ZONES) kept.clear()
  kept.set(zone, { first: firstYear, last: lastYear, list })
  return list
}

function findTransitions(zone: string, start: number, end: number): Transition[] {
  const found: Transition[] = []
  let from = offsetAt(zone, start)
  for (let low = start; low < end; ) {
    const high = Math.min(low + SPAN_MS, end)
    const to = offsetAt(zone, high)
    if (to !== from) found.push({ at: changeBetween(zone, low, high, from), from, to })
    from = to
    low = high
  }
  return found
}

/** The first minute with another offset than `from`. */
function changeBetween(zone: string, start: number, end: number, from: number): number {
  let low = Math.floor(start / MINUTE_MS)
  let high = Math.ceil(end / MINUTE_MS)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * MINUTE_MS) === from) low = middle
    else high = middle
  }
  return high * MINUTE_MS
}
