/**
 * Times on a local clock, as whole seconds since 1970-01-01T00:00:00 on that clock, and days since 1970-01-01, of the proleptic Gregorian
 * calendar. Pure arithmetic without a time zone.
 */
export const DAY_SECONDS = 86_400

/** 0000-01-01T00:00:00 and 9999-12-31T23:59:59, the ends of what a LocalDateTime can say (RFC 8984 1.4.4). */
export const LOCAL_MIN = -62_167_219_200
export const LOCAL_MAX = 253_402_300_799

/** 0 is Monday. */
export function weekdayOf(day: number): number {
  // 1970-01-01 was a Thursday.
  return (((day + 3) % 7) + 7) % 7
}

const ERA_DAYS = 146_097
const ERA_YEARS = 400
/** Days from 0000-03-01 to 1970-01-01. */
const MARCH_ZERO = 719_468

/** The day of a date; `month` is 1 to 12. Years begin in March here, so that a leap day is the last of its year. */
export function dayOfDate(year: number, month: number, date: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / ERA_YEARS)
  const yearOfEra = y - era * ERA_YEARS
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + date - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * ERA_DAYS + dayOfEra - MARCH_ZERO
}

export function dateOfDay(day: number): { year: number; month: number; date: number } {
  const z = day + MARCH_ZERO
  const era = Math.floor(z / ERA_DAYS)
  const dayOfEra = z - era * ERA_DAYS
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const date = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  return { year: yearOfEra + era * ERA_YEARS + (month <= 2 ? 1 : 0), month, date }
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_DAYS[month - 1]!
}

const LOCAL = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/

/** Seconds of a LocalDateTime without a fraction (RFC 8984 1.4.4); null: it is none. */
export function parseLocal(text: string): number | null {
  const match = LOCAL.exec(text)
  if (match === null) return null
  const [year, month, date, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (month < 1 || month > 12 || date < 1 || date > daysInMonth(year, month)) return null
  if (hour > 23 || minute > 59 || second > 59) return null
  return dayOfDate(year, month, date) * DAY_SECONDS + hour * 3_600 + minute * 60 + second
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, '0')
}

/** The LocalDateTime of seconds between LOCAL_MIN and LOCAL_MAX. */
export function formatLocal(seconds: number): string {
  const day = Math.floor(seconds / DAY_SECONDS)
  const time = seconds - day * DAY_SECONDS
  const { year, month, date } = dateOfDay(day)
  const clock = `${pad(Math.floor(time / 3_600))}:${pad(Math.floor(time / 60) % 60)}:${pad(time % 60)}`
  return `${pad(year, 4)}-${pad(month)}-${pad(date)}T${clock}`
}
