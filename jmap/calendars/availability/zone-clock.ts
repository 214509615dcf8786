/**
 * Wall time of an IANA zone, by jmap/calendars/recurrence/zone-offsets.ts. Local times are milliseconds as `Date.UTC` counts them. The
 * process's own zone has no effect.
 */
import { Work } from '../recurrence/work.ts'
import { type ZoneOffsets, zoneOffsets } from '../recurrence/zone-offsets.ts'

const HOUR_MS = 3_600_000
/** Offsets are between -12 and +14 hours; old local mean times reach 15 hours and 13 minutes. */
const OFFSET_MAX_MS = 16 * HOUR_MS
/** The years of one call are bounded, so that steps are not counted. */
const UNCOUNTED = new Work(Number.POSITIVE_INFINITY)

export class ZoneClock {
  readonly #offsets: ZoneOffsets

  /** @throws RecurrenceError unknown zone */
  constructor(zone: string) {
    this.#offsets = zoneOffsets(zone)
  }

  /** Milliseconds to add to UTC. */
  offsetAt(instant: number): number {
    return this.#offsets.offsetAt(Math.floor(instant / 1000), UNCOUNTED) * 1000
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

  /** The first whole second of a range at which the offset is not `before`. */
  #bisect(from: number, to: number, before: number): number {
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.offsetAt(middle * 1000) === before) low = middle
      else high = middle
    }
    return high * 1000
  }
}

/** The clock of a zone. @throws RecurrenceError unknown zone */
export function zoneClock(zone: string): ZoneClock {
  return new ZoneClock(zone)
}
