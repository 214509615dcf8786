/** Durations (jscalendarbis 1.5.6, RFC 5545 3.3.6). */
import { fromMs, toMs } from './local-time.ts'
import { toUtc } from './zone-clock.ts'

const PARTS = /^([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

interface Parts {
  readonly sign: 1 | -1
  readonly days: number
  readonly seconds: number
}

function parts(text: string): Parts {
  const [, sign, weeks, days, hours, minutes, seconds] = PARTS.exec(text) ?? []
  const number = (digits: string | undefined) => Number(digits ?? 0)
  return {
    sign: sign === '-' ? -1 : 1,
    days: number(weeks) * 7 + number(days),
    seconds: number(hours) * 3_600 + number(minutes) * 60 + number(seconds),
  }
}

/** RFC 5545 3.3.6 has weeks only by themselves; many write days beside them. */
export function plainDuration(duration: string): string {
  const [, sign = '', weeks, days] = PARTS.exec(duration) ?? []
  if (weeks === undefined || duration === `${sign}P${weeks}W`) return duration
  return duration.replace(/P\d+W(?:\d+D)?/, `P${Number(weeks) * 7 + Number(days ?? 0)}D`)
}

/** A Duration of the text of RFC 5545; null: it is negative. */
export function positiveDuration(text: string): string | null {
  const { sign, days, seconds } = parts(text)
  if (sign < 0) return days === 0 && seconds === 0 ? 'PT0S' : null
  // A T with nothing behind it is found in practice.
  return plainDuration(text.replace('+', '').replace(/T$/, ''))
}

/** Without a part of a day that is not a whole one. */
export function isWholeDays(duration: string): boolean {
  return parts(duration).seconds === 0
}

/** Hours, minutes and seconds: a span of absolute time. @param seconds not negative */
export function exactDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  const rest = seconds % 60
  // ABNF of jscalendarbis 1.5.6: seconds may follow hours only with minutes between them.
  const text = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 || (hours > 0 && rest > 0) ? `${minutes}M` : ''}${rest > 0 ? `${rest}S` : ''}`
  return text === '' ? 'PT0S' : `PT${text}`
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
  const { sign, days, seconds } = parts(duration)
  const day = fromMs(toMs(start) + sign * days * 86_400_000)
  return (zone === null ? toMs(day) : toUtc(day, zone)) + sign * seconds * 1_000
}
