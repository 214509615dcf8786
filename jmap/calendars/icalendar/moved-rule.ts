/**
 * The rule of a series whose instances move as one: by the same difference in local time (RFC 5545 3.8.4.4). Times of day follow from the
 * start. Days are moved where a rule can name the moved ones: weekdays, days that every month has, and numbered weekdays that stay in their
 * month.
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { daysBetween, toMs } from './local-time.ts'

/** As `Date` counts them. */
const WEEKDAYS = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']
const OF_TIME = ['byHour', 'byMinute', 'bySecond']
const OF_DAY = ['byDay', 'byMonthDay', 'byMonth', 'byYearDay', 'byWeekNo', 'bySetPosition']
/** The last day that every month has, from its start and from its end. */
const EVERY_MONTH = 28

/** The rule after an instance has moved from one local time to another; null: no rule is known to say where the others go. */
export function movedRule(rule: JsonObject, from: string, to: string): JsonObject | null {
  if (from === to) return rule
  if (OF_TIME.some((part) => rule[part] !== undefined)) return null
  const days = daysBetween(from, to)
  if (days === 0) return rule
  const parts = OF_DAY.filter((part) => rule[part] !== undefined)
  const hasOnly = (...known: readonly string[]) => parts.every((part) => known.includes(part))
  const { frequency, rscale = 'gregorian' } = rule
  if (frequency === 'weekly') return hasOnly('byDay', 'bySetPosition') ? movedWeekdays(rule, from, days) : null
  if (frequency === 'daily') return hasOnly('byDay') ? movedWeekdays(rule, from, days) : null
  if (frequency !== 'monthly' && frequency !== 'yearly') return parts.length === 0 ? rule : null
  if (rscale !== 'gregorian' || !hasOnly('byDay', 'byMonthDay', 'byMonth', 'bySetPosition')) return null
  if (frequency === 'yearly' && parts.length === 0) return isSameEachYear(from, to, days) ? rule : null
  if (rule['byMonthDay'] !== undefined) return rule['byDay'] === undefined ? movedMonthDays(rule, days) : null
  if (rule['byDay'] === undefined) return staysInMonth(dayOf(from), days) ? rule : null
  return frequency === 'monthly' || rule['byMonth'] !== undefined ? movedNumberedWeekdays(rule, days) : null
}

function dayOf(local: string): number {
  return Number(local.slice(8, 10))
}

function movedWeekday(day: unknown, days: number): string {
  const at = WEEKDAYS.indexOf(String(day))
  return WEEKDAYS[(((at + days) % 7) + 7) % 7]!
}

/** Whole weeks move with their first day, so that an interval and positions in a week mean the same days. */
function movedWeekdays(rule: JsonObject, from: string, days: number): JsonObject | null {
  const { byDay, interval = 1, firstDayOfWeek = 'mo' } = rule
  if (!Array.isArray(byDay)) return rule['bySetPosition'] === undefined ? rule : null
  const weekday = WEEKDAYS[new Date(toMs(from)).getUTCDay()]
  if (!byDay.some((one) => isObject(one) && one['day'] === weekday)) return null
  const moved = byDay.map((one) => (isObject(one) ? { ...one, day: movedWeekday(one['day'], days) } : one))
  const asksWeek = rule['frequency'] === 'weekly' && (interval !== 1 || rule['bySetPosition'] !== undefined)
  return { ...rule, byDay: moved, ...(asksWeek && { firstDayOfWeek: movedWeekday(firstDayOfWeek, days) }) }
}

/** Whether a day of a month, from its start or its end, and the moved one are days of every month. */
function staysInMonth(day: number, days: number): boolean {
  const moved = day + days
  return day > 0
    ? day <= EVERY_MONTH && moved >= 1 && moved <= EVERY_MONTH
    : day >= -EVERY_MONTH && moved <= -1 && moved >= -EVERY_MONTH
}

function movedMonthDays(rule: JsonObject, days: number): JsonObject | null {
  const { byMonthDay } = rule
  if (!Array.isArray(byMonthDay) || !byMonthDay.every((day) => staysInMonth(Number(day), days))) return null
  return { ...rule, byMonthDay: byMonthDay.map((day) => Number(day) + days) }
}

/** The day after the second Monday is the Tuesday from the 9th to the 15th. */
function movedNumberedWeekdays(rule: JsonObject, days: number): JsonObject | null {
  const { byDay } = rule
  const [first] = Array.isArray(byDay) ? byDay : []
  if (!Array.isArray(byDay) || !isObject(first)) return null
  const nth = Number(first['nthOfPeriod'] ?? 0)
  if (nth === 0 || !byDay.every((one) => isObject(one) && one['nthOfPeriod'] === nth)) return null
  const start = nth > 0 ? 7 * (nth - 1) + 1 : 7 * nth
  const dates = Array.from({ length: 7 }, (_, index) => start + index)
  if (!dates.every((day) => staysInMonth(day, days))) return null
  const moved = (more: JsonObject) =>
    byDay
      .filter(isObject)
      .map(({ nthOfPeriod: _nth, day, ...one }) => ({ ...one, day: movedWeekday(day, days), ...more }))
  if (days % 7 === 0) return { ...rule, byDay: moved({ nthOfPeriod: nth + days / 7 }) }
  return { ...rule, byDay: moved({}), byMonthDay: dates.map((day) => day + days) }
}

/** Years of each kind, one after the other. */
const YEARS = [2021, 2022, 2023, 2024]

/** Whether two dates of a year, or of years as far apart, are as many days apart in each year. */
function isSameEachYear(from: string, to: string, days: number): boolean {
  const later = Number(to.slice(0, 4)) - Number(from.slice(0, 4))
  if ([from, to].some((local) => local.slice(5, 10) === '02-29')) return false
  const inYear = (local: string, year: number) => `${year}${local.slice(4)}`
  return YEARS.every((year) => daysBetween(inYear(from, year), inYear(to, year + later)) === days)
}
