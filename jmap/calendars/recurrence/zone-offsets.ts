/** Offsets of IANA time zones, looked up once for a zone and year: luxon and Intl take microseconds for one time. */
import { IANAZone } from 'luxon'
import { ZONE_YEARS_MAX } from '../../../server/base/calendar-limits.ts'
import { forgetOldest } from '../../../server/base/forget-oldest.ts'
import { DAY_SECONDS, dateOfDay, dayOfDate, isLeapYear, weekdayOf } from './local-time.ts'
import { RecurrenceError, type Work } from './work.ts'

/** The transitions of a zone in a year of UTC: from `starts[i]` (seconds since 1970, UTC) on, clocks are `offsets[i]` seconds ahead. */
type ZoneYear = {
  /** Of the year, exclusive. */
  readonly to: number
  readonly starts: readonly number[]
  readonly offsets: readonly number[]
}

/** A change of a zone's offset. */
export interface OffsetChange {
  /** Seconds since 1970, UTC. */
  readonly at: number
  /** Seconds that clocks are ahead of UTC, before and from then on. */
  readonly from: number
  readonly to: number
}

/** Times of a local clock between which it is at a time in UTC, whatever transition is near. */
export interface LocalBounds {
  /** Seconds since 1970, UTC. */
  readonly utc: number
  readonly least: number
  readonly most: number
}

const NO_BOUNDS: LocalBounds = { utc: Number.NaN, least: 0, most: 0 }

/** A year costs about 100 conversions by Intl, up to 0.5 ms. */
const YEAR_STEPS = 20_000
const LOOKUP_STEPS = 20
/** A local time as far from all transitions is neither in a gap nor in an overlap: no transition is longer than a day. */
const FAR_SECONDS = 2 * DAY_SECONDS
/** Days between two probes. The shortest summer of the database, that of Boa Vista in 2000, took seven. */
const PROBE_DAYS = 6
/** Before, zones have the mean time of their place. */
const FIRST_YEAR = 1840
/**
 * From here on a year has the transitions of an earlier one that begins on the same weekday and is as long: zones without other
 * announcements repeat the rules that they have. Any 28 years without a skipped leap year have all kinds of years.
 */
const REPEATED_FROM = 2129
const CYCLE_START = 2101
const CYCLE_YEARS = 28

/** Zones by their canonical name. Intl takes about 50 kB for each, and luxon keeps it. */
const zones = new Map<string, ZoneOffsets>()
/** Canonical names by the names that were asked for; null: it is none. */
const names = new Map<string, string | null>()
const NAMES_MAX = 2_000

/** The offsets of an IANA name. Throws a RecurrenceError: unknownTimeZone. */
export function zoneOffsets(name: string): ZoneOffsets {
  // Most names are canonical.
  const own = zones.get(name)
  if (own !== undefined) return own
  const canonical = canonicalName(name)
  if (canonical === null) throw new RecurrenceError('unknownTimeZone', `the time zone "${name}" is not known`)
  const known = zones.get(canonical)
  if (known !== undefined) return known
  const zone = new ZoneOffsets(canonical)
  zones.set(canonical, zone)
  return zone
}

/** Whether a name is one of the IANA time zone database. Offsets such as `+02:00` are none, although Intl takes them. */
export function isTimeZone(name: string): boolean {
  return canonicalName(name) !== null
}

/** Intl takes names in any case, of which there are thousands for each zone: only one of them is kept for long. */
function canonicalName(name: string): string | null {
  const known = names.get(name)
  if (known !== undefined) return known
  const canonical = /^[A-Za-z][\w+/-]{0,63}$/.test(name) ? resolvedName(name) : null
  names.set(name, canonical)
  forgetOldest(names, NAMES_MAX)
  return canonical
}

function resolvedName(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

export class ZoneOffsets {
  readonly name: string
  private readonly zone: IANAZone
  private readonly years = new Map<number, ZoneYear>()
  /** The last span of time that was asked for, with one offset. */
  private spanFrom = 0
  private spanTo = 0
  private spanOffset = 0
  /** The last two that were asked for: a query asks for those of both ends of its window, for each event. */
  private readonly bounds: [LocalBounds, LocalBounds] = [NO_BOUNDS, NO_BOUNDS]

  constructor(name: string) {
    this.name = name
    this.zone = IANAZone.create(name)
  }

  /** Seconds that the local clock is ahead of UTC at a time in seconds since 1970, UTC. */
  offsetAt(utc: number, work: Work): number {
    if (utc >= this.spanFrom && utc < this.spanTo) return this.spanOffset
    const { starts, offsets, to } = this.yearOf(utc, work)
    let index = starts.length - 1
    while (index > 0 && utc < starts[index]!) index--
    this.spanFrom = starts[index]!
    this.spanTo = starts[index + 1] ?? to
    this.spanOffset = offsets[index]!
    return this.spanOffset
  }

  /**
   * The time of a local clock in UTC. If a local time occurs twice, it is the first one; if it does not exist, the offset before the gap
   * applies (RFC 5545 3.3.5).
   */
  toUtc(local: number, work: Work): number {
    const utc = local - this.spanOffset
    if (utc - FAR_SECONDS >= this.spanFrom && utc + FAR_SECONDS < this.spanTo) return utc
    const before = this.offsetAt(local - DAY_SECONDS, work)
    const after = this.offsetAt(local + DAY_SECONDS, work)
    if (this.offsetAt(local - before, work) === before) return local - before
    return this.offsetAt(local - after, work) === after ? local - after : local - before
  }

  /** The local times of a time in UTC, by the offsets that apply two days before and after. */
  localBounds(utc: number, work: Work): LocalBounds {
    const [last, before] = this.bounds
    if (last.utc === utc) return last
    const known = before.utc === utc ? before : this.boundsAt(utc, work)
    this.bounds[1] = last
    this.bounds[0] = known
    return known
  }

  private boundsAt(utc: number, work: Work): LocalBounds {
    const before = this.offsetAt(utc - FAR_SECONDS, work)
    const at = this.offsetAt(utc, work)
    const after = this.offsetAt(utc + FAR_SECONDS, work)
    return { utc, least: utc + Math.min(before, at, after), most: utc + Math.max(before, at, after) }
  }

  /** The changes of the offset in years of UTC, both included. */
  changes(firstYear: number, lastYear: number, work: Work): OffsetChange[] {
    const found: OffsetChange[] = []
    let before = this.offsetAt(yearStart(firstYear), work)
    for (let year = firstYear; year <= lastYear; year++) {
      const { starts, offsets } = this.yearOf(yearStart(year), work)
      for (const [i, offset] of offsets.entries()) {
        if (offset !== before) found.push({ at: starts[i]!, from: before, to: offset })
        before = offset
      }
    }
    return found
  }

  private yearOf(utc: number, work: Work): ZoneYear {
    work.spend(LOOKUP_STEPS)
    const number = dateOfDay(Math.floor(utc / DAY_SECONDS)).year
    const found = this.years.get(number)
    if (found !== undefined) return found
    const year = number < REPEATED_FROM ? this.readYear(number, work) : this.repeatYear(number, work)
    this.years.set(number, year)
    forgetOldest(this.years, ZONE_YEARS_MAX)
    return year
  }

  private repeatYear(number: number, work: Work): ZoneYear {
    const from = yearStart(number)
    const like = this.yearOf(yearStart(likeYear(number)), work)
    const shift = from - like.starts[0]!
    return { to: like.to + shift, starts: like.starts.map((start) => start + shift), offsets: like.offsets }
  }

  private readYear(number: number, work: Work): ZoneYear {
    const [from, to] = [yearStart(number), yearStart(number + 1)]
    if (number < FIRST_YEAR) {
      const first = this.yearOf(yearStart(FIRST_YEAR), work)
      return { to, starts: [from], offsets: first.offsets.slice(0, 1) }
    }
    work.spend(YEAR_STEPS)
    const starts = [from]
    const offsets = [this.probe(from)]
    for (let at = from; at < to; at += PROBE_DAYS * DAY_SECONDS) {
      const next = Math.min(at + PROBE_DAYS * DAY_SECONDS, to)
      const offset = this.probe(next - 1)
      if (offset === offsets[offsets.length - 1]) continue
      starts.push(this.transition(at === from ? at : at - 1, next - 1, offset))
      offsets.push(offset)
    }
    return { to, starts, offsets }
  }

  /** The first second with an offset that a later second has and an earlier one has not. */
  private transition(earlier: number, later: number, offset: number): number {
    let low = earlier
    let high = later
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.probe(middle) === offset) high = middle
      else low = middle
    }
    return high
  }

  /** luxon gives minutes; offsets of mean time have seconds. */
  private probe(utc: number): number {
    return Math.round(this.zone.offset(utc * 1_000) * 60)
  }
}

function yearStart(year: number): number {
  return dayOfDate(year, 1, 1) * DAY_SECONDS
}

function likeYear(year: number): number {
  const weekday = weekdayOf(dayOfDate(year, 1, 1))
  for (let like = CYCLE_START; like < CYCLE_START + CYCLE_YEARS; like++) {
    if (isLeapYear(like) === isLeapYear(year) && weekdayOf(dayOfDate(like, 1, 1)) === weekday) return like
  }
  return CYCLE_START
}
