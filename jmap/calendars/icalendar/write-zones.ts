/** VTIMEZONE components from the IANA database (RFC 5545 3.6.5), for the years in which a text uses a zone. */
import { ICALENDAR_ZONE_YEARS } from '../../../server/base/icalendar-limits.ts'
import type { Component, Property } from './jcal.ts'
import { fromMs } from './local-time.ts'
import { offsetAt, type Transition, transitions } from './zone-clock.ts'

/** The zones of a text with their first and last year. */
export class ZoneSpans {
  readonly #years = new Map<string, { first: number; last: number }>()

  add(zone: string, local: string): void {
    const year = Math.min(Math.max(Number(local.slice(0, 4)), 1900), 2200)
    const span = this.#years.get(zone)
    if (span === undefined) this.#years.set(zone, { first: year, last: year })
    else this.#years.set(zone, { first: Math.min(span.first, year), last: Math.max(span.last, year) })
  }

  components(): Component[] {
    return [...this.#years].map(([zone, { first, last }]) => zoneComponent(zone, first, last))
  }

  get names(): string[] {
    return [...this.#years.keys()]
  }
}

/** The VTIMEZONE of a zone that is used from one year to another. */
export function zoneComponent(zone: string, first: number, last: number): Component {
  return vtimezone(zone, first - 1, last + ICALENDAR_ZONE_YEARS)
}

/** Transitions of one kind that come every year. */
interface Run {
  readonly from: number
  readonly to: number
  /** Local milliseconds, in the offset before. */
  readonly onsets: number[]
}

function vtimezone(zone: string, firstYear: number, lastYear: number): Component {
  const all = transitions(zone, firstYear, lastYear)
  const start = Date.UTC(firstYear, 0)
  const initial = all[0]?.from ?? offsetAt(zone, start)
  const observances = [...runs(all).flatMap((run) => observancesOf(run, lastYear))]
  // The offset before the first transition begins with the zone.
  const before = observance('standard', start + initial, initial, initial, [])
  return {
    name: 'vtimezone',
    properties: [property('tzid', 'text', zone)],
    components: [before, ...observances],
    line: 0,
  }
}

/** Groups transitions with the same offsets in the same month at the same time of day, in years without a gap. */
function runs(all: readonly Transition[]): Run[] {
  const open = new Map<string, Run>()
  const found: Run[] = []
  for (const { at, from, to } of all) {
    const onset = at + from
    const date = new Date(onset)
    const key = `${from} ${to} ${date.getUTCMonth()} ${date.getUTCDay()} ${onset % 86_400_000}`
    const run = open.get(key)
    if (run !== undefined && date.getUTCFullYear() - new Date(run.onsets.at(-1)!).getUTCFullYear() === 1) {
      run.onsets.push(onset)
    } else {
      const begun: Run = { from, to, onsets: [onset] }
      open.set(key, begun)
      found.push(begun)
    }
  }
  return found
}

/** A run until the last year goes on by a rule; the transitions of another are listed. */
function observancesOf({ from, to, onsets }: Run, lastYear: number): Component[] {
  const name = to > from ? 'daylight' : 'standard'
  const first = onsets[0]!
  const goesOn = onsets.length > 4 && new Date(onsets.at(-1)!).getUTCFullYear() === lastYear
  const rule = goesOn ? yearlyRule(onsets) : null
  if (rule !== null) return [observance(name, first, from, to, [property('rrule', 'recur', rule)])]
  const dates = onsets.slice(1).map((onset) => property('rdate', 'date-time', fromMs(onset)))
  return [observance(name, first, from, to, dates)]
}

const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** RRULE of onsets that fall on one weekday within seven days of a month; null: they do not. */
function yearlyRule(onsets: readonly number[]): string | null {
  const dates = onsets.map((onset) => new Date(onset))
  const days = dates.map((date) => date.getUTCDate())
  const month = dates[0]!.getUTCMonth() + 1
  const weekday = DAYS[dates[0]!.getUTCDay()]!
  const [least, most] = [Math.min(...days), Math.max(...days)]
  if (most - least > 6) return null
  const base = `FREQ=YEARLY;BYMONTH=${month}`
  const length = new Date(Date.UTC(2001, month, 0)).getUTCDate()
  if (least > length - 7) return `${base};BYDAY=-1${weekday}`
  const nth = Math.ceil(least / 7)
  if (most <= nth * 7) return `${base};BYDAY=${nth}${weekday}`
  const window = Array.from({ length: 7 }, (_, index) => least + index)
  return `${base};BYMONTHDAY=${window.join(',')};BYDAY=${weekday}`
}

function observance(name: string, start: number, from: number, to: number, more: readonly Property[]): Component {
  return {
    name,
    properties: [
      property('dtstart', 'date-time', fromMs(start)),
      property('tzoffsetfrom', 'utc-offset', offsetText(from)),
      property('tzoffsetto', 'utc-offset', offsetText(to)),
      ...more,
    ],
    components: [],
    line: 0,
  }
}

/** jCal of an offset: `+01:00`, with seconds for mean time of a place. */
function offsetText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const text = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor((seconds % 3_600) / 60))}`
  // RFC 5545 3.3.14: -0000 is not allowed.
  return `${ms < 0 && seconds > 0 ? '-' : '+'}${text}${seconds % 60 > 0 ? `:${two(seconds % 60)}` : ''}`
}

function property(name: string, type: string, value: string): Property {
  return { name, parameters: {}, type, values: [value], line: 0 }
}
