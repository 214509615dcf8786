/** Offsets of IANA time zones, looked up once for a zone and year: luxon and Intl take microseconds for one time. */
import { IANAZone } from 'luxon'
import { ZONE_YEARS_MAX } from '../../../server/base/calendar-limits.ts'
import { forgetOldest } from '../../../server/base/forget-oldest.ts'
import { DAY_SECONDS, dateOfDay, dayOfDate, isLeapYear, weekdayOf } from './local-time.ts'
import { RecurrenceError, type Work } from './work.ts'

/** The transitions of a zone in a year of UTC: from `starts[i]` (seconds since 1970, UTC) on, clocks are `offsets[i]` seconds ahead. */
type ZoneYear = { readonly starts: readonly number[]; readonly offsets: readonly number[] }

/** A year costs about 60 conversions by Intl, up to 0.3 ms. */
const YEAR_STEPS = 20_000
/** Days between two probes. No zone of the database changes and changes back within them (scripts/interop/recurrence.ts compares). */
const PROBE_DAYS = 14
/** Before, zones have the mean time of their place. */
const FIRST_YEAR = 1840
/**
 * From here on a year has the transitions of an earlier one that begins on the same weekday and is as long: zones without other
 * announcements repeat the rules that they have. Any 28 years without a skipped leap year have all kinds of years.
 */
const REPEATED_FROM = 2128
const CYCLE_START = 2101
const CYCLE_YEARS = 28

const kept = new Map<string, ZoneYear>()
/** Zones by their canonical name. Intl takes about 50 kB for each, and luxon keeps it. */
const zones = new Map<string, ZoneOffsets>()
/** Canonical names by the names that were asked for; null: it is none. */
const names = new Map<string, string | null>()
const NAMES_MAX = 2_000

/** The offsets of an IANA name. Throws a RecurrenceError: unknownTimeZone. */
export function zoneOffsets(name: string): ZoneOffsets {
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
  private lastYear: { readonly from: number; readonly to: number; readonly table: ZoneYear } | null = null

  constructor(name: string) {
    this.name = name
    this.zone = IANAZone.create(name)
  }

  /** Seconds that the local clock is ahead of UTC at a time in seconds since 1970, UTC. */
  offsetAt(utc: number, work: Work): number {
    const last = this.lastYear
    if (last !== null && utc >= last.from && utc < last.to) return offsetIn(last.table, utc)
    const { year } = dateOfDay(Math.floor(utc / DAY_SECONDS))
    const from = yearStart(year)
    const to = yearStart(year + 1)
    const table = this.tableOf(year, from, work)
    this.lastYear = { from, to, table }
    return offsetIn(table, utc)
  }

  /**
   * The time of a local clock in UTC. If a local time occurs twice, it is the first one; if it does not exist, the offset before the gap
   * applies (RFC 5545 3.3.5).
   */
  toUtc(local: number, work: Work): number {
    const before = this.offsetAt(local - DAY_SECONDS, work)
    const after = this.offsetAt(local + DAY_SECONDS, work)
    if (before === after && this.offsetAt(local - before, work) === before) return local - before
    if (this.offsetAt(local - before, work) === before) return local - before
    return this.offsetAt(local - after, work) === after ? local - after : local - before
  }

  private tableOf(year: number, from: number, work: Work): ZoneYear {
    if (year < FIRST_YEAR) return { starts: [from], offsets: [this.probe(yearStart(FIRST_YEAR))] }
    if (year < REPEATED_FROM) return this.readYear(year, work)
    const like = likeYear(year)
    const table = this.readYear(like, work)
    const shift = from - yearStart(like)
    return { starts: table.starts.map((start) => start + shift), offsets: table.offsets }
  }

  private readYear(year: number, work: Work): ZoneYear {
    const key = `${year} ${this.name}`
    const found = kept.get(key)
    if (found !== undefined) return found
    work.spend(YEAR_STEPS)
    const end = yearStart(year + 1)
    const starts = [yearStart(year)]
    const offsets = [this.probe(starts[0]!)]
    for (let at = starts[0]!; at < end; at += PROBE_DAYS * DAY_SECONDS) {
      const next = Math.min(at + PROBE_DAYS * DAY_SECONDS, end)
      const offset = this.probe(next - 1)
      if (offset === offsets[offsets.length - 1]) continue
      starts.push(this.transition(at === starts[0] ? at : at - 1, next - 1, offset))
      offsets.push(offset)
    }
    const table = { starts, offsets }
    kept.set(key, table)
    forgetOldest(kept, ZONE_YEARS_MAX)
    return table
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

function offsetIn({ starts, offsets }: ZoneYear, utc: number): number {
  let index = starts.length - 1
  while (index > 0 && utc < starts[index]!) index--
  return offsets[index]!
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
