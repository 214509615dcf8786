/**
 * Wall time of an IANA zone, by the rules of the runtime's zone data. Local times are milliseconds as `Date.UTC` counts them. The
 * process's own zone has no effect.
 */
import { forgetOldest } from '../../../server/base/forget-oldest.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Offsets are between -12 and +14 hours; old local mean times reach 15 hours and 13 minutes. */
const OFFSET_MAX_MS = 16 * HOUR_MS
/** Zones that are kept, and days of each. A formatter takes some 50 KB. */
const ZONES_KEPT = 64
const DAYS_KEPT = 4_096

export class ZoneClock {
  readonly #format: Intl.DateTimeFormat
  /** Offset at the start of a UTC day, by the number of the day. */
  readonly #starts = new Map<number, number>()
  /** Instant of the change within a UTC day, by the number of the day. */
  readonly #changes = new Map<number, number>()

  /** @throws RangeError unknown zone */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  }

  /** Milliseconds to add to UTC. */
  offsetAt(instant: number): number {
    const day = Math.floor(instant / DAY_MS)
    const [start, end] = [this.#startOf(day), this.#startOf(day + 1)]
    // No zone changes twice within a day.
    if (start === end) return start
    return instant < this.#changeWithin(day, start) ? start : end
  }

  toLocal(instant: number): number {
    return instant + this.offsetAt(instant)
  }

  /** The first instant with this local time; null: the clock skips it. */
  firstInstant(local: number): number | null {
    const [before, after] = this.#around(local, local)
    // The larger offset is the earlier instant.
    for (const offset of before === after ? [before] : [Math.max(before, after), Math.min(before, after)])
      if (this.offsetAt(local - offset) === offset) return local - offset
    return null
  }

  /** The first instant at which the clock has reached this local time: in a gap the moment of the change. */
  reaches(local: number): number {
    const instant = this.firstInstant(local)
    if (instant !== null) return instant
    const [before, after] = this.#around(local, local)
    // In a gap the clock is before `local` at the one instant and after it at the other.
    return this.#bisect(local - Math.max(before, after), local - Math.min(before, after), Math.min(before, after))
  }

  /** RFC 5545 3.3.5: a local time in a gap counts with the offset before the gap; of two passings the first is meant. */
  instantOf(local: number): number {
    return this.firstInstant(local) ?? local - Math.min(...this.#around(local, local))
  }

  /** The instant of the change of the offset between two instants; null: there is none. */
  changeBetween(from: number, to: number): number | null {
    const before = this.offsetAt(from)
    return before === this.offsetAt(to) ? null : this.#bisect(from, to, before)
  }

  /** The offset at all local times of a range; null: it changes near them. */
  constantOffset(from: number, to: number): number | null {
    const [before, after] = this.#around(from, to)
    return before === after ? before : null
  }

  #around(from: number, to: number): readonly [number, number] {
    return [this.offsetAt(from - OFFSET_MAX_MS), this.offsetAt(to + OFFSET_MAX_MS)]
  }

  #startOf(day: number): number {
    const known = this.#starts.get(day)
    if (known !== undefined) return known
    const offset = this.#read(day * DAY_MS)
    this.#starts.set(day, offset)
    forgetOldest(this.#starts, DAYS_KEPT)
    return offset
  }

  #changeWithin(day: number, before: number): number {
    const known = this.#changes.get(day)
    if (known !== undefined) return known
    const instant = this.#bisect(day * DAY_MS, (day + 1) * DAY_MS, before)
    this.#changes.set(day, instant)
    forgetOldest(this.#changes, DAYS_KEPT)
    return instant
  }

  /** The first whole second of a range at which the offset is not `before`. */
  #bisect(from: number, to: number, before: number): number {
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#read(middle * 1000) === before) low = middle
      else high = middle
    }
    return high * 1000
  }

  #read(instant: number): number {
    const [month, day, year, hour, minute, second] = (this.#format.format(instant).match(/\d+/g) ?? []).map(Number)
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - instant
  }
}

/** In the order of last use. */
const clocks = new Map<string, ZoneClock>()

/** The clock of a zone. @throws RangeError unknown zone */
export function zoneClock(zone: string): ZoneClock {
  const clock = clocks.get(zone) ?? new ZoneClock(zone)
  clocks.delete(zone)
  clocks.set(zone, clock)
  forgetOldest(clocks, ZONES_KEPT)
  return clock
}

/** Whether a text names an IANA zone. Offsets such as `+01:00` are none. */
export function isZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text)) return false
  try {
    zoneClock(text)
    return true
  } catch {
    return false
  }
}
