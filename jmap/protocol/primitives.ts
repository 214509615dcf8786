/** RFC 8620 1.2 to 1.4: Id, Int, UnsignedInt, Date and UTCDate. */

export const ID_PATTERN = /^[A-Za-z0-9_-]{1,255}$/
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d*[1-9]\d*))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/** Characters. */
const MAX_DATE_CHARS = 64
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** RFC 3339 5.6: a year has four digits. */
const MIN_DATE_MS = -62_167_219_200_000
const MAX_DATE_MS = 253_402_300_799_999

export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID_PATTERN.test(value)
}

/** RFC 8620 1.3: -2^53+1 <= value <= 2^53-1. */
export function isInt(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

export function isUnsignedInt(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function isDate(value: unknown): value is string {
  return typeof value === 'string' && parseDate(value) !== null
}

export function isUTCDate(value: unknown): value is string {
  return typeof value === 'string' && parseUTCDate(value) !== null
}

/** Epoch milliseconds of a UTCDate; null: the text is not one. */
export function parseUTCDate(text: string): number | null {
  return text.endsWith('Z') ? parseDate(text) : null
}

/** Epoch milliseconds of a UTCDate that was checked before. @throws RangeError for any other text */
export function epochOf(date: string): number {
  const time = parseUTCDate(date)
  if (time === null) throw new RangeError('it is not a UTCDate')
  return time
}

/** Epoch milliseconds of a Date; null: the text is not one. Digits beyond milliseconds are cut off. */
export function parseDate(text: string): number | null {
  // No valid fraction is longer, and the cost of the pattern grows with the square of its length.
  if (text.length > MAX_DATE_CHARS) return null
  // RFC 8620 1.4: upper-case letters only, and no zero fraction (the pattern requires a digit that is not zero).
  const match = DATE.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (hour > 23 || minute > 59 || second > 60) return null
  const date = new Date(0)
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  const offset = match[8] === undefined ? 0 : (match[8] === '-' ? -1 : 1) * (Number(match[9]) * 60 + Number(match[10]))
  const minutes = date.getTime() + (hour * 60 + minute - offset) * MINUTE_MS
  // RFC 3339 5.7: a leap second is the last of a day in UTC. As in POSIX, it has the same number as the second after it.
  if (second === 60 && (((minutes % DAY_MS) + DAY_MS) % DAY_MS) + MINUTE_MS !== DAY_MS) return null
  return minutes + second * 1000 + Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
}

/** A UTCDate from epoch milliseconds. Times outside RFC 3339's four-digit years become the first or last that fits. */
export function formatUTCDate(ms: number): string {
  const text = new Date(Math.min(Math.max(ms, MIN_DATE_MS), MAX_DATE_MS)).toISOString()
  // RFC 8620 1.4: a zero fraction is omitted.
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text
}
