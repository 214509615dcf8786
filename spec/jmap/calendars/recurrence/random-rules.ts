/** Random rules with their starts, of all frequencies and parts that may be combined (RFC 5545 3.3.10). */
import fc from 'fast-check'
import {
  FREQUENCIES,
  type Frequency,
  type RecurrenceRule,
  SKIPS,
  WEEKDAYS,
} from '../../../../jmap/calendars/jscalendar/recurrence-rule.ts'

export type RandomCase = { readonly rule: RecurrenceRule; readonly start: string }

const SUB_DAILY: readonly Frequency[] = ['hourly', 'minutely', 'secondly']

function signed(most: number): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 1, max: most }), fc.integer({ min: -most, max: -1 }))
}

function list<T>(value: fc.Arbitrary<T>, maxLength = 4): fc.Arbitrary<T[]> {
  return fc.uniqueArray(value, { minLength: 1, maxLength })
}

/** The property with a value in one of `rarity` cases, else nothing. */
function maybe<T>(name: string, value: fc.Arbitrary<T>, rarity = 3): fc.Arbitrary<object> {
  return fc.oneof(
    { weight: rarity - 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: value.map((v) => ({ [name]: v })) },
  )
}

const weekday = fc.constantFrom(...WEEKDAYS)
const plainDays = list(weekday, 3).map((days) => days.map((day) => ({ day })))
const countedDays = (most: number) =>
  fc.uniqueArray(fc.record({ day: weekday, nthOfPeriod: signed(most) }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ day, nthOfPeriod }) => `${nthOfPeriod}${day}`,
  })

const months = list(fc.integer({ min: 1, max: 12 }).map(String))
const monthDays = list(fc.oneof(signed(31), fc.constantFrom(28, 29, 30, 31, -28, -29, -30, -31)))

function dateParts(frequency: Frequency): fc.Arbitrary<object>[] {
  if (frequency === 'weekly')
    return [maybe('byDay', plainDays), maybe('byMonth', months, 5), maybe('firstDayOfWeek', weekday)]
  if (frequency === 'daily')
    return [maybe('byDay', plainDays), maybe('byMonth', months, 4), maybe('byMonthDay', monthDays, 4)]
  if (frequency === 'monthly') {
    const days = fc.oneof(plainDays, countedDays(5))
    return [
      maybe('byDay', days, 2),
      maybe('byMonth', months, 4),
      maybe('byMonthDay', monthDays),
      maybe('skip', fc.constantFrom(...SKIPS)),
    ]
  }
  if (frequency === 'yearly') {
    return [
      fc
        .oneof(
          fc.tuple(
            maybe('byMonth', months, 2),
            maybe('byMonthDay', monthDays, 2),
            maybe('byDay', fc.oneof(plainDays, countedDays(5)), 2),
            maybe('skip', fc.constantFrom(...SKIPS)),
          ),
          fc.tuple(countedDays(53).map((byDay) => ({ byDay }))),
          fc.tuple(
            list(signed(366)).map((byYearDay) => ({ byYearDay })),
            maybe('byDay', plainDays),
            maybe('byMonth', months, 5),
          ),
          fc.tuple(
            list(signed(53)).map((byWeekNo) => ({ byWeekNo, interval: 1 })),
            maybe('byDay', plainDays, 2),
            maybe('byMonth', months, 5),
            maybe('byMonthDay', monthDays, 6),
            maybe('firstDayOfWeek', weekday, 2),
          ),
        )
        .map((parts: object[]) => Object.assign({}, ...parts) as object),
    ]
  }
  return [maybe('byDay', plainDays, 4), maybe('byMonth', months, 5), maybe('byYearDay', list(signed(366), 30), 6)]
}

function timeParts(frequency: Frequency): fc.Arbitrary<object>[] {
  const rarity = SUB_DAILY.includes(frequency) ? 2 : 5
  return [
    maybe('byHour', list(fc.integer({ min: 0, max: 23 })), rarity),
    maybe('byMinute', list(fc.integer({ min: 0, max: 59 }), 3), rarity),
    maybe('bySecond', list(fc.integer({ min: 0, max: 59 }), 3), frequency === 'secondly' ? 2 : 8),
  ]
}

/** Intervals that divide nothing, and long ones, are as likely as short ones for the shortest periods. */
const INTERVALS: { readonly [frequency in Frequency]: number } = {
  yearly: 5,
  monthly: 30,
  weekly: 10,
  daily: 50,
  hourly: 100,
  minutely: 5_000,
  secondly: 200_000,
}

function ruleOf(frequency: Frequency): fc.Arbitrary<RecurrenceRule> {
  const interval = maybe(
    'interval',
    fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: INTERVALS[frequency] })),
    2,
  )
  const end = maybe('count', fc.integer({ min: 1, max: 30 }), 3)
  return fc
    .tuple(
      interval,
      end,
      ...dateParts(frequency),
      ...timeParts(frequency),
      maybe('bySetPosition', list(signed(6), 3), 4),
    )
    .map((parts) => {
      const rule = { frequency, ...Object.assign({}, ...parts) } as RecurrenceRule & { bySetPosition?: unknown }
      const hasBy = Object.keys(rule).some((key) => key.startsWith('by') && key !== 'bySetPosition')
      if (!hasBy) delete rule.bySetPosition
      return rule
    })
}

const start = fc
  .date({ min: new Date('1996-01-01T00:00:00Z'), max: new Date('2025-12-31T00:00:00Z'), noInvalidDate: true })
  .chain((date) =>
    fc.constantFrom(date, endOfMonth(date), new Date(Date.UTC(date.getUTCFullYear(), 0, 1)), leapDay(date)),
  )
  .map((date) => date.toISOString().slice(0, 19))

function endOfMonth(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0, 9))
}

function leapDay(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear() - (date.getUTCFullYear() % 4), 1, 29, 23, 30))
}

export const randomCase: fc.Arbitrary<RandomCase> = fc
  .constantFrom(...FREQUENCIES)
  .chain((frequency) => fc.record({ rule: ruleOf(frequency), start }))

/** Days for which a rule of a frequency is compared: enough for several periods, few enough for the naive algorithm. */
export const HORIZON_DAYS: { readonly [frequency in Frequency]: number } = {
  yearly: 6_000,
  monthly: 2_500,
  weekly: 700,
  daily: 500,
  hourly: 60,
  minutely: 8,
  secondly: 2,
}
