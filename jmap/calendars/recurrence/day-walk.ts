/** Walks over the days that match a rule of days or of shorter periods. */
import { monthOf, monthStart, type Year, yearLength } from './calendar-year.ts'
import type { CompiledRule } from './compile-rule.ts'
import { dayMatches } from './day-filter.ts'
import { weekdayOf } from './local-time.ts'
import type { Work } from './work.ts'

const OTHER_PARTS = { yearDays: true, monthDays: true, weekdays: true }

/**
 * Visits the matching days from `from` to `to` until `visit` returns false. `align` gives the first day, from a day on, that is in phase
 * with the interval. After the first year it takes whole years at a time, so that a rule that matches once in decades costs little.
 */
export function eachMatchingDay(
  rule: CompiledRule,
  from: number,
  to: number,
  align: (day: number) => number,
  work: Work,
  visit: (day: number) => boolean,
): void {
  if (hasNoDayParts(rule)) {
    for (let day = align(from); day <= to; day = align(day + 1)) {
      work.spend(2)
      if (!visit(day)) return
    }
    return
  }
  const years = new MatchingDays(rule, work)
  let isFirst = true
  for (let day = align(from); day <= to; isFirst = false) {
    const year = rule.calendar.year(rule.calendar.yearNumber(day, work), work)
    const end = year.start + yearLength(year)
    const days = isFirst || end - 1 > to ? years.walk(year, day, Math.min(to, end - 1)) : years.of(year)
    for (const match of days) {
      work.spend(2)
      if (match >= day && align(match) === match && !visit(match)) return
    }
    day = align(end)
  }
}

/** Days of years that match, whether they are in phase or not. */
class MatchingDays {
  readonly #rule: CompiledRule
  readonly #work: Work
  /** From the start of the year; by weekday of the start and length. */
  readonly #kinds = new Map<number, readonly number[]>()

  constructor(rule: CompiledRule, work: Work) {
    this.#rule = rule
    this.#work = work
  }

  of(year: Year): Iterable<number> {
    const length = yearLength(year)
    this.#work.spend(5)
    // Years of other calendars differ in more.
    if (this.#rule.calendar.cycleYears === null) return this.walk(year, year.start, year.start + length - 1)
    const kind = length * 7 + weekdayOf(year.start)
    let days = this.#kinds.get(kind)
    if (days === undefined) {
      days = [...this.walk(year, year.start, year.start + length - 1)].map((day) => day - year.start)
      this.#kinds.set(kind, days)
    }
    return days.map((day) => year.start + day)
  }

  *walk(year: Year, from: number, to: number): Iterable<number> {
    const rule = this.#rule
    for (let day = from; day <= to; day++) {
      this.#work.spend(10)
      if (rule.months !== null) {
        const month = monthOf(year, day)
        if (!rule.months.includes(year.months[month]!)) {
          // No other day of this month matches.
          day = monthStart(year, month + 1) - 1
          continue
        }
      }
      if (dayMatches(rule, year, day, OTHER_PARTS)) yield day
    }
  }
}

export function hasNoDayParts(rule: CompiledRule): boolean {
  return rule.months === null && rule.monthDays === null && rule.yearDays === null && rule.weekdays === null
}

/** The first number from `value` on that is `start` plus a multiple of `interval`; never before `start`. */
export function alignUp(value: number, start: number, interval: number): number {
  return value <= start ? start : start + Math.ceil((value - start) / interval) * interval
}
