/**
 * LocalDateTime, UTCDateTime and Duration (jscalendarbis 1.5). Local times are milliseconds as `Date.UTC` counts them. Fractions of a
 * second are refused: iCalendar has none, so that no other system could keep them.
 */
import { EVENT_MAX_DURATION_DAYS } from '../../../server/base/calendar-data-limits.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'

const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:[0-5]\d$/
const DURATION = /^([+-]?)P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})S)?)?$/
const DAY_MS = 86_400_000
/** The local time 0000-01-01T00:00:00. */
const YEAR_ZERO_MS = -62_167_219_200_000

/** null: the text is not one. */
export function parseLocal(text: string): number | null {
  return LOCAL.test(text) ? parseUTCDate(`${text}Z`) : null
}

export function formatLocal(local: number): string {
  return new Date(local).toISOString().slice(0, 19)
}

/** null: the text is no UTCDateTime of whole seconds. */
export function parseUTC(text: string): number | null {
  return text.endsWith('Z') ? parseLocal(text.slice(0, -1)) : null
}

export function formatUTC(instant: number): string {
  return `${formatLocal(instant)}Z`
}

/** A number for a recurrence id, as the ids of instances carry it: seconds since the year 0. */
export function keyOfLocal(local: number): number {
  return (local - YEAR_ZERO_MS) / 1000
}

export function localOfKey(key: number): number {
  return key * 1000 + YEAR_ZERO_MS
}

/** RFC 5545 3.3.6: days are of the wall clock, the rest is exact. */
export interface Duration {
  readonly days: number
  readonly ms: number
}

export const NO_DURATION: Duration = { days: 0, ms: 0 }

export interface SignedDuration extends Duration {
  readonly sign: 1 | -1
}

/**
 * A duration as RFC 5545 3.3.6 and JSCalendar write it, and as it is found in practice: weeks beside days, a T with nothing behind it. All
 * durations are read here. null: the text has another form.
 */
export function readDuration(text: string): SignedDuration | null {
  const match = DURATION.exec(text)
  if (!match) return null
  const [weeks, days, hours, minutes, seconds] = match.slice(2, 7).map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const ms = (hours * 3600 + minutes * 60 + seconds) * 1000
  return { sign: match[1] === '-' ? -1 : 1, days: weeks * 7 + days, ms }
}

/** jscalendarbis 1.5.6: at least one number, and a number after each T; after hours, seconds need minutes. */
const LOOSE = /[PT]$|H\d+S$/

/** A duration with its sign; null: the text is no SignedDuration, or longer than an event may be. */
export function parseSignedDuration(text: string): SignedDuration | null {
  const duration = LOOSE.test(text) ? null : readDuration(text)
  return duration && duration.days + duration.ms / DAY_MS <= EVENT_MAX_DURATION_DAYS ? duration : null
}

/** null: the text is no Duration, or longer than an event may be. */
export function parseDuration(text: string): Duration | null {
  return text.startsWith('P') ? parseSignedDuration(text) : null
}

/** The shortest Duration of an exact time. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (seconds === 0) return 'PT0S'
  const minutesText = minutes > 0 || (hours > 0 && rest > 0) ? `${minutes}M` : ''
  return `PT${hours > 0 ? `${hours}H` : ''}${minutesText}${rest > 0 ? `${rest}S` : ''}`
}
