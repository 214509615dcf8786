/** What makes a RecurrenceRule invalid: RFC 8984 4.3.3, and RFC 5545 3.3.10 and RFC 7529 4, whose semantics it has. */
import type { Frequency, RecurrenceRule } from '../jscalendar/recurrence-rule.ts'
import { calendarSystem } from './calendar-system.ts'
import { parseLocal } from './local-time.ts'

const SUB_DAILY: readonly Frequency[] = ['hourly', 'minutely', 'secondly']
/** Entries of a list that a rule can use: the days of the longest year, forwards and backwards. Longer lists repeat themselves. */
const LIST_MAX = 800
const WEEKS_MAX = 53

type NumberList = 'byMonthDay' | 'byYearDay' | 'byWeekNo' | 'byHour' | 'byMinute' | 'bySecond' | 'bySetPosition'

/** One sentence that names the property; null: the rule can be expanded. Types were checked before. */
export function ruleFault(rule: RecurrenceRule): string | null {
  const calendar = calendarSystem(rule.rscale ?? 'gregorian')
  if (calendar === null) return `rscale: the calendar "${rule.rscale}" is not known`
  return (
    boundsFault(rule) ??
    listFault(rule, 'byMonthDay', 1, calendar.monthDaysMax) ??
    listFault(rule, 'byYearDay', 1, calendar.yearDaysMax) ??
    listFault(rule, 'byWeekNo', 1, calendar.yearDaysMax > 366 ? WEEKS_MAX + 2 : WEEKS_MAX) ??
    listFault(rule, 'byHour', 0, 23) ??
    listFault(rule, 'byMinute', 0, 59) ??
    listFault(rule, 'bySecond', 0, 60) ??
    listFault(rule, 'bySetPosition', 1, calendar.yearDaysMax) ??
    monthsFault(rule) ??
    weekdaysFault(rule) ??
    combinationFault(rule)
  )
}

function boundsFault({ interval, count, until }: RecurrenceRule): string | null {
  if (interval !== undefined && !(Number.isSafeInteger(interval) && interval >= 1))
    return 'interval: must be a whole number from 1'
  if (count !== undefined && !(Number.isSafeInteger(count) && count >= 1)) return 'count: must be a whole number from 1'
  if (count !== undefined && until !== undefined) return 'count and until exclude each other'
  if (until !== undefined && parseLocal(until) === null) return 'until: must be a LocalDateTime'
  return null
}

/** Lists from `least` 1 may count from the end, by negative numbers. */
function listFault(rule: RecurrenceRule, name: NumberList, least: number, most: number): string | null {
  const list = rule[name]
  if (list === undefined) return null
  if (list.length === 0) return `${name}: must not be empty`
  if (list.length > LIST_MAX) return `${name}: must have at most ${LIST_MAX} entries`
  for (const value of list) {
    const size = least === 1 ? Math.abs(value) : value
    if (!Number.isSafeInteger(value) || size < least || size > most) {
      return `${name}: ${value} is not ${least === 1 ? `from 1 to ${most} or -${most} to -1` : `from ${least} to ${most}`}`
    }
  }
  return null
}

function monthsFault({ byMonth }: RecurrenceRule): string | null {
  if (byMonth === undefined) return null
  if (byMonth.length === 0) return 'byMonth: must not be empty'
  if (byMonth.length > LIST_MAX) return `byMonth: must have at most ${LIST_MAX} entries`
  const wrong = byMonth.find((month) => !/^([1-9]|1[0-3])L?$/.test(month))
  return wrong === undefined ? null : `byMonth: "${wrong}" is no month`
}

function weekdaysFault({ frequency, byDay, byWeekNo }: RecurrenceRule): string | null {
  if (byDay === undefined) return null
  if (byDay.length === 0) return 'byDay: must not be empty'
  if (byDay.length > LIST_MAX) return `byDay: must have at most ${LIST_MAX} entries`
  const counted = byDay.filter(({ nthOfPeriod }) => nthOfPeriod !== undefined)
  if (counted.length === 0) return null
  const wrong = counted.find(
    ({ nthOfPeriod: n }) => !Number.isSafeInteger(n) || n === 0 || Math.abs(n!) > WEEKS_MAX + 2,
  )
  if (wrong !== undefined) return `byDay: nthOfPeriod must be from 1 to ${WEEKS_MAX} or -${WEEKS_MAX} to -1`
  // RFC 5545 3.3.10: BYDAY with numbers only in months and years, and not with BYWEEKNO.
  if (frequency !== 'monthly' && frequency !== 'yearly')
    return 'byDay: nthOfPeriod needs the frequency monthly or yearly'
  return byWeekNo === undefined ? null : 'byDay: nthOfPeriod and byWeekNo exclude each other'
}

/** RFC 5545 3.3.10: parts that must not be used with a frequency. */
function combinationFault(rule: RecurrenceRule): string | null {
  const { frequency } = rule
  if (rule.byWeekNo !== undefined && frequency !== 'yearly') return 'byWeekNo needs the frequency yearly'
  if (rule.byMonthDay !== undefined && frequency === 'weekly')
    return 'byMonthDay and the frequency weekly exclude each other'
  if (rule.byYearDay !== undefined && frequency !== 'yearly' && !SUB_DAILY.includes(frequency)) {
    return `byYearDay and the frequency ${frequency} exclude each other`
  }
  return null
}
