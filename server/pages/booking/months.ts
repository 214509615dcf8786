/** Months and days of a visitor's calendar, with the free slots of each day. Pure. */
import type { Interval } from '../../../jmap/calendars/availability/slots.ts'
import { zoneClock } from '../../../jmap/calendars/availability/zone-clock.ts'

const DAY_MS = 86_400_000

export interface Day {
  /** `2026-11-23` */
  readonly date: string
  readonly slots: readonly Interval[]
}

export interface Month {
  /** `2026-11` */
  readonly month: string
  readonly days: readonly Day[]
}

/** The time that a month takes in a zone. */
export function rangeOfMonth(month: string, timezone: string): Interval {
  const clock = zoneClock(timezone)
  return { start: clock.instantOf(startOf(month)), end: clock.instantOf(startOf(addMonths(month, 1))) }
}

export function monthOf(instant: number, timezone: string): string {
  return dateOf(instant, timezone).slice(0, 7)
}

export function dateOf(instant: number, timezone: string): string {
  return new Date(zoneClock(timezone).toLocal(instant)).toISOString().slice(0, 10)
}

export function addMonths(month: string, count: number): string {
  const date = new Date(startOf(month))
  date.setUTCMonth(date.getUTCMonth() + count)
  return date.toISOString().slice(0, 7)
}

export function makeMonth(month: string, slots: readonly Interval[], timezone: string): Month {
  const byDate = new Map<string, Interval[]>()
  for (const slot of slots) {
    const date = dateOf(slot.start, timezone)
    byDate.set(date, [...(byDate.get(date) ?? []), slot])
  }
  const days: Day[] = []
  for (let at = startOf(month); at < startOf(addMonths(month, 1)); at += DAY_MS) {
    const date = new Date(at).toISOString().slice(0, 10)
    days.push({ date, slots: byDate.get(date) ?? [] })
  }
  return { month, days }
}

/** The days in rows of seven. null: a day of another month. @param weekStart 0 is Sunday */
export function weeksOf({ days }: Month, weekStart: number): (Day | null)[][] {
  const first = new Date(`${days[0]!.date}T00:00:00Z`).getUTCDay()
  const cells: (Day | null)[] = [...Array<null>((first - weekStart + 7) % 7).fill(null), ...days]
  while (cells.length % 7 !== 0) cells.push(null)
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}

function startOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`)
}
