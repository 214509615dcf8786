/** The days of one year, month or week that match a rule, in order (RFC 8984 4.3.3.1, steps 1 and 2; RFC 7529 4.1 for `skip`). */
import { monthLength, monthStart, type Year, yearLength } from './calendar-year.ts'
import type { CompiledRule } from './compile-rule.ts'
import { dayMatches } from './day-filter.ts'
import { weekdayOf } from './local-time.ts'
import type { Work } from './work.ts'

export function daysOfMonth(rule: CompiledRule, year: Year, month: number, work: Work): number[] {
  const days: number[] = []
  addMonth(rule, year, month, days, work)
  return filtered(rule, inOrder(days, work), { weekdays: true }, work)
}

export function daysOfWeek(rule: CompiledRule, start: number, work: Work): number[] {
  // Weekdays of weeks are not counted (rule-faults.ts).
  const days = rule.weekDays.map((day) => start + day)
  work.spend(10)
  return rule.months === null ? days : filtered(rule, days, { months: true }, work)
}

/** With byWeekNo the year is that of week numbers, which may begin in December and end in January. */
export function daysOfYear(rule: CompiledRule, number: number, work: Work): number[] {
  const year = rule.calendar.year(number, work)
  if (rule.weekNumbers !== null) {
    return filtered(
      rule,
      weekDays(rule, year, work),
      { months: true, yearDays: true, monthDays: true, weekdays: true },
      work,
    )
  }
  if (rule.yearDays !== null) {
    return filtered(rule, numberedDays(rule, year, work), { months: true, monthDays: true, weekdays: true }, work)
  }
  const days: number[] = []
  if (rule.months === null && rule.monthDays === null && rule.countsWeekdays) {
    addCounted(rule, year.start, yearLength(year), days, work)
  } else if (rule.months === null) {
    for (const month of year.months.keys()) addMonth(rule, year, month, days, work)
  } else {
    for (const name of rule.months) addNamedMonth(rule, year, name, days, work)
  }
  return filtered(rule, inOrder(days, work), { weekdays: true }, work)
}

function range(start: number, end: number): number[] {
  const days: number[] = []
  for (let day = start; day < end; day++) days.push(day)
  return days
}

function inOrder(days: number[], work: Work): number[] {
  work.spend(2 * days.length)
  if (days.every((day, index) => index === 0 || days[index - 1]! < day)) return days
  work.spend(20 * days.length)
  return [...new Set(days)].sort((a, b) => a - b)
}

function filtered(rule: CompiledRule, days: number[], parts: Parameters<typeof dayMatches>[3], work: Work): number[] {
  work.spend(15 * days.length + 50)
  let year: Year | null = null
  return days.filter((day) => {
    if (year === null || day < year.start || day >= year.start + yearLength(year)) {
      year = rule.calendar.year(rule.calendar.yearNumber(day, work), work)
    }
    return dayMatches(rule, year, day, parts)
  })
}

function addNamedMonth(rule: CompiledRule, year: Year, name: string, days: number[], work: Work): void {
  const month = year.months.indexOf(name)
  if (month >= 0) addMonth(rule, year, month, days, work)
  else if (rule.skip !== 'omit' && name.endsWith('L')) addSkippedMonth(rule, year, name, days, work)
}

/** A month that the year does not have is a leap month (RFC 7529 4.2). It is skipped before its days are. */
function addSkippedMonth(rule: CompiledRule, year: Year, name: string, days: number[], work: Work): void {
  const regular = year.months.indexOf(name.slice(0, -1))
  if (regular < 0) return
  const month = rule.skip === 'backward' ? regular : regular + 1
  if (month < year.months.length) addMonth(rule, year, month, days, work)
  else addMonth(rule, rule.calendar.year(year.number + 1, work), 0, days, work)
}

/** The days of byMonthDay in a month; all of its days without that part. */
function addMonth(rule: CompiledRule, year: Year, month: number, days: number[], work: Work): void {
  const start = monthStart(year, month)
  const length = monthLength(year, month)
  work.spend(2 * (rule.monthDays?.length ?? length))
  if (rule.monthDays === null && rule.countsWeekdays && (rule.months !== null || rule.frequency === 'monthly')) {
    addCounted(rule, start, length, days, work)
    return
  }
  if (rule.monthDays === null) {
    for (let day = start; day < start + length; day++) days.push(day)
    return
  }
  for (const number of rule.monthDays) {
    const day = numbered(rule, number, start, length)
    if (day !== null) days.push(day)
  }
}

/** The weekdays of byDay that are counted in a span, such as its second Monday or its last one. */
function addCounted(rule: CompiledRule, start: number, length: number, days: number[], work: Work): void {
  const last = start + length - 1
  work.spend(5 * rule.weekdays!.counted.length)
  for (const { weekday, nth } of rule.weekdays!.counted) {
    const day =
      nth > 0
        ? start + ((weekday - weekdayOf(start) + 7) % 7) + (nth - 1) * 7
        : last - ((weekdayOf(last) - weekday + 7) % 7) + (nth + 1) * 7
    if (day >= start && day <= last) days.push(day)
  }
}

/** byYearDay. RFC 7529 4.1 (item 7 of its list): a number beyond the year is skipped like a day beyond the month. */
function numberedDays(rule: CompiledRule, year: Year, work: Work): number[] {
  const days = rule.yearDays!.map((number) => numbered(rule, number, year.start, yearLength(year)))
  return inOrder(
    days.filter((day) => day !== null),
    work,
  )
}

/** The nth day of a span, from its end if n is negative. Beyond the span: the nearest day in the direction of `skip`; null: omitted. */
function numbered(rule: CompiledRule, n: number, start: number, length: number): number | null {
  if (Math.abs(n) <= length) return n > 0 ? start + n - 1 : start + length + n
  if (rule.skip === 'omit') return null
  const afterwards = n > 0 ? start + length : start
  return rule.skip === 'forward' ? afterwards : afterwards - 1
}

/** The first day of week 1: the first week of which at least four days are in the year. */
export function firstWeek(rule: CompiledRule, year: Year): number {
  const into = (weekdayOf(year.start) - rule.firstWeekday + 7) % 7
  return year.start - into + (into > 3 ? 7 : 0)
}

function weekDays(rule: CompiledRule, year: Year, work: Work): number[] {
  const first = firstWeek(rule, year)
  const weeks = (firstWeek(rule, rule.calendar.year(year.number + 1, work)) - first) / 7
  const days: number[] = []
  for (const number of rule.weekNumbers!) {
    if (Math.abs(number) > weeks) continue
    const start = first + 7 * (number > 0 ? number - 1 : weeks + number)
    days.push(...range(start, start + 7))
  }
  return inOrder(days, work)
}
