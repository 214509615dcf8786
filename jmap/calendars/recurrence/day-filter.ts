/** Whether a day matches the parts of a rule that name days: byMonth, byYearDay, byMonthDay, byDay (RFC 8984 4.3.3.1, step 2). */
import { monthLength, monthOf, type Year, yearLength } from './calendar-year.ts'
import type { CompiledRule, WeekdayParts } from './compile-rule.ts'
import { weekdayOf } from './local-time.ts'

export type DayParts = {
  readonly months?: boolean
  readonly yearDays?: boolean
  readonly monthDays?: boolean
  readonly weekdays?: boolean
}

/** `year` is the year of the day. Only the parts that are asked for are compared. */
export function dayMatches(rule: CompiledRule, year: Year, day: number, parts: DayParts): boolean {
  if (parts.weekdays && rule.weekdays !== null && !weekdayMatches(rule, rule.weekdays, year, day)) return false
  if (parts.yearDays && rule.yearDays !== null) {
    const length = yearLength(year)
    if (!numberMatches(rule.yearDays, day - year.start + 1, length)) return false
  }
  if (!(parts.months && rule.months !== null) && !(parts.monthDays && rule.monthDays !== null)) return true
  const month = monthOf(year, day)
  if (parts.months && rule.months !== null && !rule.months.includes(year.months[month]!)) return false
  if (!parts.monthDays || rule.monthDays === null) return true
  return numberMatches(rule.monthDays, day - year.start - year.offsets[month]! + 1, monthLength(year, month))
}

/** Negative numbers count from the end. */
function numberMatches(list: readonly number[], number: number, length: number): boolean {
  return list.includes(number) || list.includes(number - length - 1)
}

function weekdayMatches(rule: CompiledRule, weekdays: WeekdayParts, year: Year, day: number): boolean {
  const weekday = weekdayOf(day)
  if (weekdays.every[weekday]) return true
  if (!weekdays.counted.some((part) => part.weekday === weekday)) return false
  // RFC 5545 3.3.10: counted within the month if the rule is monthly or names months, else within the year.
  const month = rule.frequency === 'monthly' || rule.months !== null ? monthOf(year, day) : null
  const at = month === null ? day - year.start : day - year.start - year.offsets[month]!
  const length = month === null ? yearLength(year) : monthLength(year, month)
  const fromStart = Math.floor(at / 7) + 1
  const fromEnd = -(Math.floor((length - 1 - at) / 7) + 1)
  return weekdays.counted.some((part) => part.weekday === weekday && (part.nth === fromStart || part.nth === fromEnd))
}
