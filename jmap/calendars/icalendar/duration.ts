/** Durations between RFC 5545 3.3.6 and jscalendarbis 1.5.6. */
import { formatDuration, readDuration } from '../jscalendar/date-times.ts'
import { fromMs, toMs } from './local-time.ts'
import { toUtc } from './zone-clock.ts'

/**
 * RFC 5545 3.3.6 and jscalendarbis 1.5.6 have weeks only by themselves, seconds only behind minutes, and no T with nothing behind it. All
 * three are found in practice.
 */
export function plainDuration(duration: string): string {
  const read = readDuration(duration)
  if (read === null) return duration
  const days = duration.endsWith('W') ? duration : duration.replace(/P\d+W(?:\d+D)?/, `P${read.days}D`)
  return days.replace(/T$/, '').replace(/(?<=H)(?=\d+S$)/, '0M')
}

/** A Duration of the text of RFC 5545; null: it is negative, or no duration. */
export function positiveDuration(text: string): string | null {
  const read = readDuration(text)
  if (read === null) return null
  if (read.sign < 0) return read.days === 0 && read.ms === 0 ? 'PT0S' : null
  return plainDuration(text.replace('+', ''))
}

/** Without a part of a day that is not a whole one. */
export function isWholeDays(duration: string): boolean {
  return readDuration(duration)?.ms === 0
}

/** A span of absolute time. @param seconds not negative */
export function exactDuration(seconds: number): string {
  return formatDuration(seconds * 1_000)
}

/** Days, for dates. */
export function dayDuration(days: number): string {
  return `P${days}D`
}

/**
 * UTC milliseconds of the end of an event (jscalendarbis 1.5.6): days are of the calendar, the rest is absolute time. A floating time
 * counts as UTC.
 */
export function endInstant(start: string, duration: string, zone: string | null): number {
  const { sign, days, ms } = readDuration(duration) ?? { sign: 1, days: 0, ms: 0 }
  const day = fromMs(toMs(start) + sign * days * 86_400_000)
  return (zone === null ? toMs(day) : toUtc(day, zone)) + sign * ms
}
