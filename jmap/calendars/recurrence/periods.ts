/** Walks over the periods of a rule of days, weeks, months or years, from near any day on: no period depends on those before it. */
import { monthLength, monthOf, monthStart } from './calendar-year.ts'
import type { CompiledRule } from './compile-rule.ts'
import { alignUp, eachMatchingDay } from './day-walk.ts'
import { DAY_SECONDS, weekdayOf } from './local-time.ts'
import { daysOfMonth, daysOfWeek, daysOfYear, firstWeek } from './period-days.ts'
import type { Work } from './work.ts'

/** Gets the matching days of a period, in order, and its first day; returns false to stop. */
type Visit = (days: readonly number[], start: number) => boolean

/** Periods that may hold days between `from` and `to`, and a few beside them. */
export function eachPeriod(rule: CompiledRule, from: number, to: number, work: Work, given: Visit): void {
  const visit = untilNever(rule, given)
  if (rule.frequency === 'yearly') eachYear(rule, from, to, work, visit)
  else if (rule.frequency === 'monthly') eachMonth(rule, from, to, work, visit)
  else if (rule.frequency === 'weekly') eachWeek(rule, from, to, work, visit)
  else eachDay(rule, from, to, work, visit)
}

/** Periods in phase are years, months or weeks of all kinds after at most as many of them as a cycle of the calendar has. */
const PER_YEAR = { yearly: 1, monthly: 12, weekly: 53 } as const

/** Ends when a whole cycle of the calendar had no day: then no later one has. */
function untilNever({ frequency, calendar }: CompiledRule, visit: Visit): Visit {
  if (calendar.cycleYears === null || !(frequency in PER_YEAR)) return visit
  const most = calendar.cycleYears * PER_YEAR[frequency as keyof typeof PER_YEAR]
  let empty = 0
  return (days, start) => {
    empty = days.length > 0 ? 0 : empty + 1
    return empty <= most && visit(days, start)
  }
}

function eachYear(rule: CompiledRule, from: number, to: number, work: Work, visit: Visit): void {
  const { calendar, interval } = rule
  // Weeks of a year and skipped days may be in the year before or after.
  const beyond = rule.weekNumbers !== null || rule.skip !== 'omit' ? 1 : 0
  const last = calendar.yearNumber(to, work) + beyond
  const first = calendar.yearNumber(from, work) - beyond
  for (let number = alignUp(first, startYear(rule, work), interval); number <= last; number += interval) {
    work.spend(1)
    if (!visit(daysOfYear(rule, number, work), calendar.year(number, work).start)) return
  }
}

/**
 * The year from which the interval counts. With byWeekNo that is the year of the week in which the start is, as libical counts, unless
 * the rule has no day there: a start on 2024-12-31 is in the first week of 2025.
 */
function startYear(rule: CompiledRule, work: Work): number {
  const { calendar } = rule
  const day = Math.floor(rule.start / DAY_SECONDS)
  const number = calendar.yearNumber(day, work)
  if (rule.weekNumbers === null) return number
  const year = calendar.year(number, work)
  if (day < firstWeek(rule, year)) {
    return daysOfYear(rule, number - 1, work).some((other) => other >= year.start) ? number - 1 : number
  }
  const next = calendar.year(number + 1, work)
  return day >= firstWeek(rule, next) && daysOfYear(rule, number + 1, work).length > 0 ? number + 1 : number
}

function eachMonth(rule: CompiledRule, from: number, to: number, work: Work, visit: Visit): void {
  const { calendar, interval } = rule
  const startDay = Math.floor(rule.start / DAY_SECONDS)
  const start = calendar.year(calendar.yearNumber(startDay, work), work)
  const startMonth = monthOf(start, startDay)
  const beyond = rule.skip === 'omit' ? 0 : 1
  let number = start.number
  let monthsBefore = -startMonth
  // Years with leap months are counted one by one.
  if (calendar.yearMonths !== null || interval === 1) {
    number = Math.max(number, calendar.yearNumber(from, work) - beyond)
    monthsBefore += (number - start.number) * (calendar.yearMonths ?? 0)
    if (calendar.yearMonths === null && number > start.number) monthsBefore = 0
  }
  for (; ; number++) {
    const year = calendar.year(number, work)
    for (let month = 0; month < year.months.length; month++) {
      work.spend(5)
      const first = monthStart(year, month)
      if (first > to + beyond) return
      const distance = monthsBefore + month
      if (distance < 0 || distance % interval !== 0) continue
      if (first + monthLength(year, month) < from - beyond) continue
      if (rule.months !== null && !rule.months.includes(year.months[month]!)) continue
      if (!visit(daysOfMonth(rule, year, month, work), first)) return
    }
    monthsBefore += year.months.length
  }
}

function eachWeek(rule: CompiledRule, from: number, to: number, work: Work, visit: Visit): void {
  const startDay = Math.floor(rule.start / DAY_SECONDS)
  const startWeek = startDay - ((weekdayOf(startDay) - rule.firstWeekday + 7) % 7)
  const step = 7 * rule.interval
  for (let week = alignUp(from - 6, startWeek, step); week <= to; week += step) {
    if (!visit(daysOfWeek(rule, week, work), week)) return
  }
}

function eachDay(rule: CompiledRule, from: number, to: number, work: Work, visit: Visit): void {
  const startDay = Math.floor(rule.start / DAY_SECONDS)
  const align = (day: number) => alignUp(day, startDay, rule.interval)
  eachMatchingDay(rule, from, to, align, work, (day) => visit([day], day))
}
