/** Rules made to cost much: the CPU of every call of the port. */
import { FREQUENCIES, type RecurrenceRule } from '../../../jmap/calendars/jscalendar/recurrence-rule.ts'
import { expand, extent, nextInstance } from '../../../jmap/calendars/recurrence/expand.ts'
import { type Prepared, prepare, type RuleSet } from '../../../jmap/calendars/recurrence/prepare.ts'
import { RecurrenceError } from '../../../jmap/calendars/recurrence/work.ts'

const STARTS = ['0001-01-01T00:00:00', '1970-01-01T00:00:00', '2026-01-31T23:59:59', '9990-02-28T12:00:00']
const ZONES = [null, 'America/New_York', 'Africa/Casablanca']
const INTERVALS = [1, 7, 61, 3_599, 86_401, 1_000_003, Number.MAX_SAFE_INTEGER]
const YEAR = { start: Date.UTC(2026, 0), end: Date.UTC(2027, 0) }
const AGES = { start: Date.UTC(1, 0), end: Date.UTC(9999, 0) }

function upTo(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Parts that never match, match once in centuries, or match all the time. */
const PARTS: readonly object[] = [
  {},
  { byMonth: ['2'], byMonthDay: [30] },
  { byMonthDay: [31], byMonth: ['2', '4', '6', '9', '11'] },
  { byMonth: ['2'], byMonthDay: [29], byDay: [{ day: 'mo' }] },
  { byHour: upTo(0, 23), byMinute: upTo(0, 59), bySecond: upTo(0, 59) },
  { byHour: [3], byMinute: [4], bySecond: [5], byMonthDay: [31] },
  { byMonthDay: [...upTo(1, 31), ...upTo(-31, -1)], byHour: upTo(0, 23), bySetPosition: upTo(1, 366) },
  { byYearDay: [366, -366], byHour: upTo(0, 23), byMinute: upTo(0, 59), bySecond: upTo(0, 59), bySetPosition: [-366] },
  { byWeekNo: [53, -53], byDay: [{ day: 'su' }], byMonth: ['6'] },
  { rscale: 'chinese', skip: 'forward', byMonth: ['12L'], byMonthDay: [30] },
  { rscale: 'hebrew', skip: 'backward', byMonthDay: [30, -30], byHour: upTo(0, 23) },
  { byDay: [{ day: 'fr', nthOfPeriod: 53 }], skip: 'forward' },
]

const ENDS: readonly object[] = [{}, { count: 1_000_000_000 }, { count: 9_999 }, { until: '9999-12-31T23:59:59' }]

export function bombAt(index: number): RuleSet {
  const pick = <T>(list: readonly T[], turn: number): T => list[Math.floor(index / turn) % list.length]!
  const frequency = FREQUENCIES[(FREQUENCIES.length - 1 - index + 7 * index) % FREQUENCIES.length]!
  const rule = {
    frequency,
    interval: pick(INTERVALS, 3),
    ...PARTS[(index * 5 + 1) % PARTS.length],
    ...pick(ENDS, 2),
  } as RecurrenceRule
  const duration = index % 11 === 0 ? 'P3650000D' : 'PT1H'
  return { start: STARTS[(index * 3) % STARTS.length]!, timeZone: pick(ZONES, 5), duration, recurrenceRule: rule }
}

export function dearestBomb(count: number): { bombs: number; refused: number; ms: number; rule: string } {
  let dearest = { ms: 0, rule: 'none' }
  let refused = 0
  for (let index = 0; index < count; index++) {
    const set = bombAt(index)
    let prepared: Prepared | null = null
    let isRefused = false
    for (const [name, call] of Object.entries<() => unknown>({
      prepare: () => {
        prepared = prepare(set)
      },
      year: () => prepared && expand(prepared, YEAR),
      ages: () => prepared && expand(prepared, AGES),
      next: () => prepared && nextInstance(prepared, YEAR.end),
      extent: () => prepared && extent(prepared),
    })) {
      const before = process.cpuUsage()
      try {
        call()
      } catch (error) {
        if (!(error instanceof RecurrenceError)) throw error
        isRefused = true
      }
      const { user, system } = process.cpuUsage(before)
      const ms = (user + system) / 1_000
      if (ms > dearest.ms) dearest = { ms, rule: `${name} ${JSON.stringify(set)}` }
    }
    if (isRefused) refused++
  }
  return { bombs: count, refused, ...dearest }
}
