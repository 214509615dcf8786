/**
 * Dates and times as text. A LocalDateTime (jscalendarbis 1.5.5) is `2026-01-31T09:00:00`; as a number it is the milliseconds of the
 * same digits in UTC, so that sums need no time zone.
 */

const DAY_MS = 86_400_000

/** If the text of a DATE or DATE-TIME (RFC 5545 3.3.4, 3.3.5) names a day and a time that exist. */
export function isRealTime(text: string): boolean {
  const local = localOf(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}${basicTime(text.slice(8))}`)
  const ms = toMs(local)
  return !Number.isNaN(ms) && fromMs(ms) === local
}

function basicTime(text: string): string {
  return text === '' ? '' : `T${text.slice(1, 3)}:${text.slice(3, 5)}:${text.slice(5, 7)}`
}

/** LocalDateTime of a date or date-time of jCal. A leap second becomes the second before it. */
export function localOf(jcal: string): string {
  const time = jcal.length >= 19 ? jcal.slice(10, 19) : 'T00:00:00'
  return jcal.slice(0, 10) + (time.endsWith(':60') ? `${time.slice(0, 7)}59` : time)
}

export function toMs(local: string): number {
  return Date.parse(`${local}Z`)
}

/** LocalDateTime; the year stays within four digits. */
export function fromMs(ms: number): string {
  const bounded = Math.min(Math.max(ms, -62_167_219_200_000), 253_402_300_799_000)
  return new Date(bounded).toISOString().slice(0, 19)
}

export function isDateOnly(local: string): boolean {
  return local.endsWith('T00:00:00')
}

export function addDays(local: string, days: number): string {
  return fromMs(toMs(local) + days * DAY_MS)
}

/** Whole days from one local date to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((toMs(`${to.slice(0, 10)}T00:00:00`) - toMs(`${from.slice(0, 10)}T00:00:00`)) / DAY_MS)
}

/** jCal of a LocalDateTime: a date, a local time, or UTC. */
export function toJCalTime(local: string, form: 'date' | 'local' | 'utc'): string {
  if (form === 'date') return local.slice(0, 10)
  return form === 'utc' ? `${local}Z` : local
}
