/** Turns a RecurrenceRule into numbers, with the parts that its start implies (RFC 8984 4.3.3.1). */
import { type Frequency, type RecurrenceRule, WEEKDAYS } from '../jscalendar/recurrence-rule.ts'
import { calendarSystem } from './calendar-system.ts'
import { type CalendarSystem, monthOf, type Year } from './calendar-year.ts'
import { DAY_SECONDS, LOCAL_MAX, parseLocal, weekdayOf } from './local-time.ts'
import { ruleFault } from './rule-faults.ts'
import { TimesOfDay } from './times-of-day.ts'
import { RecurrenceError, type Work } from './work.ts'

export type NthWeekday = { readonly weekday: number; readonly nth: number }

/** Weekdays of `byDay`: those that always match, by number from Monday, and those that are counted within a month or year. */
export type WeekdayParts = { readonly every: readonly boolean[]; readonly counted: readonly NthWeekday[] }

export type CompiledRule = {
  readonly frequency: Frequency
  readonly interval: number
  readonly calendar: CalendarSystem
  readonly skip: 'omit' | 'backward' | 'forward'
  /** 0 is Monday. */
  readonly firstWeekday: number
  /** null: the rule has no such part. All lists are sorted and without duplicates. */
  readonly months: readonly string[] | null
  readonly monthDays: readonly number[] | null
  readonly yearDays: readonly number[] | null
  readonly weekNumbers: readonly number[] | null
  readonly weekdays: WeekdayParts | null
  /** The rule has weekdays, and all of them are counted. */
  readonly countsWeekdays: boolean
  readonly hours: readonly number[] | null
  readonly minutes: readonly number[] | null
  readonly seconds: readonly number[] | null
  readonly positions: readonly number[] | null
  /** Of rules of days and longer periods. */
  readonly times: TimesOfDay
  /** Days of a week that match, from its first day; of rules of weeks. */
  readonly weekDays: readonly number[]
  /** Local seconds (see local-time.ts). Nothing recurs before. */
  readonly start: number
  /** Local seconds, inclusive. */
  readonly until: number
}

const WEEK = [0, 1, 2, 3, 4, 5, 6]

/** Throws a RecurrenceError: invalidRule. `count` is left to the caller. */
export function compileRule(rule: RecurrenceRule, start: number, work: Work): CompiledRule {
  const fault = ruleFault(rule)
  if (fault !== null) throw new RecurrenceError('invalidRule', fault)
  const { frequency } = rule
  const time = start - Math.floor(start / DAY_SECONDS) * DAY_SECONDS
  const calendar = calendarSystem(rule.rscale ?? 'gregorian')!
  const calendarEnd = (calendar.lastDay + 1) * DAY_SECONDS - 1
  const firstWeekday = WEEKDAYS.indexOf(rule.firstDayOfWeek ?? 'mo')
  const dates = dateParts(rule, Math.floor(start / DAY_SECONDS), calendar, work)
  const clock = {
    hours: sorted(rule.byHour) ?? implied(frequency, ['hourly', 'minutely', 'secondly'], Math.floor(time / 3_600)),
    minutes: sorted(rule.byMinute) ?? implied(frequency, ['minutely', 'secondly'], Math.floor(time / 60) % 60),
    seconds: secondsOf(rule.bySecond) ?? implied(frequency, ['secondly'], time % 60),
  }
  return {
    frequency,
    interval: rule.interval ?? 1,
    calendar,
    // RFC 8984 4.3.3: only in months and years.
    skip: frequency === 'yearly' || frequency === 'monthly' ? (rule.skip ?? 'omit') : 'omit',
    firstWeekday,
    yearDays: sorted(rule.byYearDay),
    weekNumbers: sorted(rule.byWeekNo),
    ...dates,
    countsWeekdays: dates.weekdays !== null && !dates.weekdays.every.includes(true),
    ...clock,
    times: new TimesOfDay(clock),
    weekDays: WEEK.filter((day) => dates.weekdays?.every[(day + firstWeekday) % 7]),
    positions: sorted(rule.bySetPosition),
    start,
    until: Math.min(rule.until === undefined ? LOCAL_MAX : parseLocal(rule.until)!, calendarEnd),
  }
}

function implied(frequency: Frequency, without: readonly Frequency[], value: number): readonly number[] | null {
  return without.includes(frequency) ? null : [value]
}

function sorted(list: readonly number[] | undefined): readonly number[] | null {
  return list === undefined ? null : [...new Set(list)].sort((a, b) => a - b)
}

/** RFC 5545 3.3.12: without leap seconds, second 60 is second 59. */
function secondsOf(list: readonly number[] | undefined): readonly number[] | null {
  return sorted(list?.map((second) => Math.min(second, 59)))
}

type DateParts = Pick<CompiledRule, 'months' | 'monthDays' | 'weekdays'>

/** byMonth, byMonthDay and byDay, with what the start implies. */
function dateParts(rule: RecurrenceRule, day: number, calendar: CalendarSystem, work: Work): DateParts {
  const given: DateParts = {
    months: rule.byMonth === undefined ? null : [...new Set(rule.byMonth)],
    monthDays: sorted(rule.byMonthDay),
    weekdays: rule.byDay === undefined ? null : weekdayParts(rule.byDay),
  }
  const { months, monthDays, weekdays } = given
  const ownWeekday = { every: WEEKDAYS.map((_, index) => index === weekdayOf(day)), counted: [] }
  if (rule.frequency === 'weekly') return { ...given, weekdays: weekdays ?? ownWeekday }
  if (rule.frequency !== 'monthly' && rule.frequency !== 'yearly') return given
  const year = calendar.year(calendar.yearNumber(day, work), work)
  const own = ownDate(year, day)
  if (rule.frequency === 'monthly') {
    return weekdays === null && monthDays === null ? { ...given, monthDays: own.monthDays } : given
  }
  if (rule.byYearDay !== undefined) return given
  const isWeek = rule.byWeekNo !== undefined
  return {
    months: months ?? (!isWeek && (monthDays !== null || weekdays === null) ? own.months : null),
    monthDays: monthDays ?? (!isWeek && weekdays === null ? own.monthDays : null),
    weekdays: weekdays ?? (isWeek && monthDays === null ? ownWeekday : null),
  }
}

function ownDate(year: Year, day: number): { months: readonly string[]; monthDays: readonly number[] } {
  const month = monthOf(year, day)
  return { months: [year.months[month]!], monthDays: [day - year.start - year.offsets[month]! + 1] }
}

function weekdayParts(byDay: NonNullable<RecurrenceRule['byDay']>): WeekdayParts {
  const every = WEEKDAYS.map((name) => byDay.some(({ day, nthOfPeriod }) => day === name && nthOfPeriod === undefined))
  const counted = new Map<string, NthWeekday>()
  for (const { day, nthOfPeriod } of byDay) {
    if (nthOfPeriod !== undefined)
      counted.set(`${nthOfPeriod}${day}`, { weekday: WEEKDAYS.indexOf(day), nth: nthOfPeriod })
  }
  return { every, counted: [...counted.values()] }
}
