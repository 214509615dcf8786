/**
 * The recurrence of RFC 8984 4.3.3.1 as it is written there: every day is compared with every part. Slow, for the Gregorian calendar,
 * and independent of the program: it uses nothing of it but types.
 */
import type { RecurrenceRule } from '../../../../jmap/calendars/jscalendar/recurrence-rule.ts'

const DAY_MS = 86_400_000
const NAMES = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']
const UNITS: { readonly [frequency: string]: number } = { hourly: 3_600_000, minutely: 60_000, secondly: 1_000 }

type Day = { readonly ms: number; readonly year: number; readonly month: number; readonly date: number }

function dayAt(ms: number): Day {
  const date = new Date(ms)
  return { ms, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, date: date.getUTCDate() }
}

function lengthOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function yearDay(day: Day): number {
  return (day.ms - Date.UTC(day.year, 0, 1)) / DAY_MS + 1
}

function lengthOfYear(year: number): number {
  return (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / DAY_MS
}

function weekStart(ms: number, first: number): number {
  return ms - ((new Date(ms).getUTCDay() - first + 7) % 7) * DAY_MS
}

/** Year and number of the week of a day, and how many weeks that year has: a week belongs to the year of its fourth day. */
function weekOf(ms: number, first: number): { year: number; number: number; count: number } {
  const fourth = dayAt(weekStart(ms, first) + 3 * DAY_MS)
  const number = Math.ceil(yearDay(fourth) / 7)
  const last = weekStart(Date.UTC(fourth.year, 11, 28), first) + 3 * DAY_MS
  return { year: fourth.year, number, count: Math.ceil(yearDay(dayAt(last)) / 7) }
}

function contains(list: readonly number[] | undefined, number: number, length: number): boolean {
  return list === undefined || list.includes(number) || list.includes(number - length - 1)
}

function withImplied(rule: RecurrenceRule, start: string): RecurrenceRule {
  const day = dayAt(Date.parse(`${start.slice(0, 10)}T00:00:00Z`))
  const [hour, minute, second] = start.slice(11).split(':').map(Number) as [number, number, number]
  const full: { -readonly [name in keyof RecurrenceRule]: RecurrenceRule[name] } = { ...rule }
  const { frequency } = rule
  const weekday = { day: NAMES[new Date(day.ms).getUTCDay()] } as NonNullable<RecurrenceRule['byDay']>[number]
  if (frequency !== 'secondly') full.bySecond ??= [second]
  if (!['secondly', 'minutely'].includes(frequency)) full.byMinute ??= [minute]
  if (!['secondly', 'minutely', 'hourly'].includes(frequency)) full.byHour ??= [hour]
  if (frequency === 'weekly') full.byDay ??= [weekday]
  if (frequency === 'monthly' && !rule.byDay) full.byMonthDay ??= [day.date]
  if (frequency === 'yearly' && !rule.byYearDay) {
    if (!rule.byMonth && !rule.byWeekNo && (rule.byMonthDay || !rule.byDay)) full.byMonth = [String(day.month)]
    if (!rule.byMonthDay && !rule.byWeekNo && !rule.byDay) full.byMonthDay = [day.date]
    if (rule.byWeekNo && !rule.byMonthDay && !rule.byDay) full.byDay = [weekday]
  }
  return full
}

function matchesWeekday(rule: RecurrenceRule, day: Day): boolean {
  if (rule.byDay === undefined) return true
  const name = NAMES[new Date(day.ms).getUTCDay()]
  const inMonth = rule.frequency === 'monthly' || rule.byMonth !== undefined
  const at = inMonth ? day.date : yearDay(day)
  const length = inMonth ? lengthOfMonth(day.year, day.month) : lengthOfYear(day.year)
  return rule.byDay.some(
    ({ day: wanted, nthOfPeriod: n }) =>
      wanted === name && (n === undefined || n === Math.ceil(at / 7) || n === -Math.ceil((length - at + 1) / 7)),
  )
}

/** The period of a day: days of one period have one number, and the next period has the next one. */
function periodOf(rule: RecurrenceRule, day: Day): number {
  const first = NAMES.indexOf(rule.firstDayOfWeek ?? 'mo')
  if (rule.frequency === 'yearly') return rule.byWeekNo ? weekOf(day.ms, first).year : day.year
  if (rule.frequency === 'monthly') return day.year * 12 + day.month
  if (rule.frequency === 'weekly') return Math.floor(weekStart(day.ms, first) / DAY_MS / 7)
  return day.ms / DAY_MS
}

type Candidate = { readonly period: number; readonly ms: number }

/** The days that match the rule, each with the period that produces it. */
function matchingDays(rule: RecurrenceRule, from: number, to: number): Candidate[] {
  const found: Candidate[] = []
  const first = NAMES.indexOf(rule.firstDayOfWeek ?? 'mo')
  const isSkipping =
    (rule.skip ?? 'omit') !== 'omit' && rule.byMonthDay !== undefined && ['yearly', 'monthly'].includes(rule.frequency)
  for (let ms = from; ms <= to; ms += DAY_MS) {
    const day = dayAt(ms)
    if (rule.byMonth !== undefined && !rule.byMonth.includes(String(day.month))) continue
    if (isSkipping) {
      if (day.date === 1) found.push(...skippedDays(rule, day))
      continue
    }
    if (rule.byWeekNo !== undefined) {
      const { number, count } = weekOf(ms, first)
      if (!contains(rule.byWeekNo, number, count)) continue
    }
    if (!contains(rule.byYearDay, yearDay(day), lengthOfYear(day.year))) continue
    if (!contains(rule.byMonthDay, day.date, lengthOfMonth(day.year, day.month))) continue
    if (matchesWeekday(rule, day)) found.push({ period: periodOf(rule, day), ms })
  }
  return found
}

/** All days of byMonthDay of a month, given by its first day. Those that do not exist move. */
function skippedDays(rule: RecurrenceRule, month: Day): Candidate[] {
  const length = lengthOfMonth(month.year, month.month)
  return rule
    .byMonthDay!.map((number) => {
      const date = number > 0 ? number : length + 1 + number
      if (date >= 1 && date <= length) return date
      if (date > length) return rule.skip === 'forward' ? length + 1 : length
      return rule.skip === 'forward' ? 1 : 0
    })
    .map((date) => month.ms + (date - 1) * DAY_MS)
    .filter((ms) => matchesWeekday(rule, dayAt(ms)))
    .map((ms) => ({ period: periodOf(rule, month), ms }))
}

function allTimes(rule: RecurrenceRule): number[] {
  const times: number[] = []
  for (let hour = 0; hour < 24; hour++) {
    if (rule.byHour && !rule.byHour.includes(hour)) continue
    for (let minute = 0; minute < 60; minute++) {
      if (rule.byMinute && !rule.byMinute.includes(minute)) continue
      for (let second = 0; second < 60; second++) {
        if (!rule.bySecond || rule.bySecond.includes(second))
          times.push(hour * 3_600_000 + minute * 60_000 + second * 1_000)
      }
    }
  }
  return times
}

/** LocalDateTimes of the occurrences until `end`, a LocalDateTime. */
export function naiveOccurrences(given: RecurrenceRule, start: string, end: string): string[] {
  const rule = withImplied(given, start)
  const startMs = Date.parse(`${start}Z`)
  const endMs = Math.min(
    Date.parse(`${end}Z`),
    rule.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${rule.until}Z`),
  )
  const startDay = Date.parse(`${start.slice(0, 10)}T00:00:00Z`)
  const unit = UNITS[rule.frequency]
  const times = allTimes(rule)
  const origin = unit === undefined ? periodOf(rule, dayAt(startDay)) : Math.floor(startMs / unit)
  const isInPhase = (key: number) => key >= origin && (key - origin) % (rule.interval ?? 1) === 0
  const sets = new Map<number, Set<number>>()
  const margin = ['yearly', 'monthly', 'weekly'].includes(rule.frequency) ? 800 : 1
  for (const { period, ms } of matchingDays(rule, startDay - margin * DAY_MS, endMs + margin * DAY_MS)) {
    for (const time of times) {
      const key = unit === undefined ? period : Math.floor((ms + time) / unit)
      if (!isInPhase(key)) continue
      const set = sets.get(key) ?? new Set()
      sets.set(key, set.add(ms + time))
    }
  }
  const kept = new Set<number>()
  for (const key of [...sets.keys()].sort((a, b) => a - b)) {
    const set = [...sets.get(key)!].sort((a, b) => a - b)
    const positions = rule.bySetPosition
    for (const [index, ms] of set.entries()) {
      if (positions && !positions.includes(index + 1) && !positions.includes(index - set.length)) continue
      if (ms >= startMs && ms <= endMs) kept.add(ms)
    }
  }
  const all = [...kept].sort((a, b) => a - b)
  return all.slice(0, rule.count ?? all.length).map((ms) => new Date(ms).toISOString().slice(0, 19))
}
