/** Walks over the days that match a rule of days or of shorter periods. */
import { monthOf, monthStart, type Year, yearLength } from './calendar-year.ts'
import type { CompiledRule } from './compile-rule.ts'
import { dayMatches } from './day-filter.ts'
import type { Work } from './work.ts'

const OTHER_PARTS = { yearDays: true, monthDays: true, weekdays: true }

/**
 * Visits the matching days from `from` to `to` until `visit` returns false. `align` gives the first day, from a day on, that is in phase
 * with the interval.
 */
export function eachMatchingDay(
  rule: CompiledRule,
  from: number,
  to: number,
  align: (day: number) => number,
  work: Work,
  visit: (day: number) => boolean,
): void {
  const isAny = hasNoDayParts(rule)
  // A rule that could take any day, and takes none in a whole cycle of the calendar, never will.
  const { cycleYears } = rule.calendar
  const isEveryDay = align(from + 1) === align(from) + 1
  const giveUp = cycleYears !== null && isEveryDay ? align(from) + cycleYears * 366 : Number.POSITIVE_INFINITY
  let isFound = false
  let year: Year | null = null
  for (let day = align(from); day <= to; day = align(day + 1)) {
    work.spend(isAny ? 2 : 10)
    if (!isFound && day > giveUp) return
    if (!isAny) {
      if (year === null || day >= year.start + yearLength(year)) {
        year = rule.calendar.year(rule.calendar.yearNumber(day, work), work)
      }
      if (rule.months !== null) {
        const month = monthOf(year, day)
        if (!rule.months.includes(year.months[month]!)) {
          // No other day of this month matches.
          day = monthStart(year, month + 1) - 1
          continue
        }
      }
      if (!dayMatches(rule, year, day, OTHER_PARTS)) continue
    }
    isFound = true
    if (!visit(day)) return
  }
}

export function hasNoDayParts(rule: CompiledRule): boolean {
  return rule.months === null && rule.monthDays === null && rule.yearDays === null && rule.weekdays === null
}

/** The first number from `value` on that is `start` plus a multiple of `interval`; never before `start`. */
export function alignUp(value: number, start: number, interval: number): number {
  return value <= start ? start : start + Math.ceil((value - start) / interval) * interval
}
