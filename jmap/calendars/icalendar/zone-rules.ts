/** The offsets that a VTIMEZONE defines (RFC 5545 3.6.5). */
import { ICALENDAR_MAX_OBSERVANCES } from '../../../server/base/icalendar-limits.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { Component, Property } from './jcal.ts'
import { localOf, toMs } from './local-time.ts'
import { readRule } from './recurrence-rule.ts'

/** One STANDARD or DAYLIGHT. Times are local digits as milliseconds; offsets are milliseconds to add to UTC. */
interface Observance {
  readonly start: number
  readonly from: number
  readonly to: number
  readonly dates: readonly number[]
  readonly yearly: Yearly | null
}

/** A rule with one date a year. */
interface Yearly {
  readonly month: number
  readonly weekday: number | null
  readonly nth: number | null
  readonly monthDays: readonly number[]
  /** UTC milliseconds. */
  readonly until: number
}

const DAYS = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']

/** Gives the offset at UTC milliseconds; null: the component defines none, or more than any zone has. */
export function zoneRules(zone: Component): ((utcMs: number) => number) | null {
  const observances = zone.components
    .slice(0, ICALENDAR_MAX_OBSERVANCES + 1)
    .flatMap((component) => observanceOf(component) ?? [])
  const dates = observances.reduce((sum, observance) => sum + observance.dates.length, 0)
  if (observances.length === 0 || observances.length > ICALENDAR_MAX_OBSERVANCES || dates > ICALENDAR_MAX_OBSERVANCES)
    return null
  const years = new Map<number, readonly { at: number; to: number }[]>()
  const onsets = (year: number) => {
    const known = years.get(year)
    if (known !== undefined) return known
    const found = observances.flatMap((observance) => onsetsIn(observance, year)).sort((a, b) => a.at - b.at)
    years.set(year, found)
    return found
  }
  const earliest = observances.toSorted((a, b) => a.start - b.start)[0]!
  return (utcMs) => {
    const year = new Date(utcMs).getUTCFullYear()
    const past = [...onsets(year - 1), ...onsets(year), ...onsets(year + 1)].findLast(({ at }) => at <= utcMs)
    return past?.to ?? lastBefore(observances, utcMs)?.to ?? earliest.from
  }
}

function observanceOf(component: Component): Observance | null {
  const property = (name: string) => component.properties.find((candidate) => candidate.name === name)
  const start = timeOf(property('dtstart'))
  const from = offsetOf(property('tzoffsetfrom'))
  const to = offsetOf(property('tzoffsetto'))
  if (to === null) return null
  const dates = component.properties
    .filter(({ name, type }) => name === 'rdate' && type !== 'unknown')
    .flatMap(({ values }) => values)
  const rule = property('rrule')?.values[0]
  return {
    start: start ?? toMs('1601-01-01T00:00:00'),
    from: from ?? to,
    to,
    dates: dates.flatMap((value) => (typeof value === 'string' ? [toMs(localOf(value))] : [])),
    yearly: typeof rule === 'string' ? yearlyOf(rule) : null,
  }
}

function timeOf(property: Property | undefined): number | null {
  const value = property?.type === 'unknown' ? undefined : property?.values[0]
  return typeof value === 'string' ? toMs(localOf(value)) : null
}

function offsetOf(property: Property | undefined): number | null {
  const value = property?.values[0]
  const [, sign, hours, minutes, seconds] =
    typeof value === 'string' ? (/^([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(value) ?? []) : []
  if (sign === undefined) return null
  const ms = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds ?? 0)) * 1_000
  return sign === '-' ? -ms : ms
}

function yearlyOf(text: string): Yearly | null {
  const rule = readRule(text, { zone: 'Etc/UTC', date: false })
  if (typeof rule === 'string' || rule['frequency'] !== 'yearly') return null
  const months = rule['byMonth']
  const days = rule['byDay']
  const monthDays = rule['byMonthDay']
  const day = Array.isArray(days) ? days[0] : undefined
  const nth = isObject(day) ? day['nthOfPeriod'] : undefined
  return {
    month: Array.isArray(months) && typeof months[0] === 'string' ? Number.parseInt(months[0], 10) : 0,
    weekday: isObject(day) && typeof day['day'] === 'string' ? DAYS.indexOf(day['day']) : null,
    nth: typeof nth === 'number' ? nth : null,
    monthDays: Array.isArray(monthDays) ? monthDays.filter((value) => typeof value === 'number') : [],
    until: typeof rule['until'] === 'string' ? toMs(rule['until']) : Number.POSITIVE_INFINITY,
  }
}

function onsetsIn(observance: Observance, year: number): { at: number; to: number }[] {
  const { start, from, to, dates, yearly } = observance
  const inYear = (local: number) => new Date(local).getUTCFullYear() === year
  const locals = [start, ...dates].filter(inYear)
  const onset = yearly === null ? null : yearlyOnset(observance, yearly, year)
  if (onset !== null && onset > start && onset - from <= (yearly?.until ?? 0)) locals.push(onset)
  return locals.map((local) => ({ at: local - from, to }))
}

/** Local milliseconds of the rule's date in a year; null: it has none. */
function yearlyOnset({ start }: Observance, yearly: Yearly, year: number): number | null {
  const first = new Date(start)
  const month = yearly.month === 0 ? first.getUTCMonth() : yearly.month - 1
  const time = ((start % 86_400_000) + 86_400_000) % 86_400_000
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const all = Array.from({ length }, (_, index) => index + 1)
  const days = all.filter((day) => {
    if (yearly.weekday !== null && new Date(Date.UTC(year, month, day)).getUTCDay() !== yearly.weekday) return false
    return (
      yearly.monthDays.length === 0 || yearly.monthDays.includes(day) || yearly.monthDays.includes(day - length - 1)
    )
  })
  if (yearly.weekday === null && yearly.monthDays.length === 0) return Date.UTC(year, month, first.getUTCDate()) + time
  const { nth } = yearly
  const day = nth === null ? days[0] : nth > 0 ? days[nth - 1] : days.at(nth)
  return day === undefined ? null : Date.UTC(year, month, day) + time
}

/** The observance that began last, of those without a date near: zones whose rules have ended. */
function lastBefore(observances: readonly Observance[], utcMs: number): { to: number } | null {
  let last: { at: number; to: number } | null = null
  for (const observance of observances) {
    const until = Math.min(observance.yearly?.until ?? Number.NEGATIVE_INFINITY, utcMs)
    const lastYear = Number.isFinite(until) ? onsetsIn(observance, new Date(until).getUTCFullYear()) : []
    const onsets = [
      ...lastYear.map(({ at }) => at),
      ...[observance.start, ...observance.dates].map((local) => local - observance.from),
    ]
    for (const at of onsets) {
      if (at <= utcMs && (last === null || at >= last.at)) last = { at, to: observance.to }
    }
  }
  return last
}
