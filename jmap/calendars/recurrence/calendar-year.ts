/** Years of a calendar in which a rule recurs. */
import type { Work } from './work.ts'

export type Year = {
  readonly number: number
  /** Day of its first date (see local-time.ts). */
  readonly start: number
  /** Names of its months as in `byMonth`: `1`, `5L` (RFC 7529 4.2). */
  readonly months: readonly string[]
  /** Days of the year before each month; the last entry is the length of the year. */
  readonly offsets: readonly number[]
}

export type CalendarSystem = {
  readonly monthDaysMax: number
  readonly yearDaysMax: number
  /** Months of every year; null: leap months change it. */
  readonly yearMonths: number | null
  /** Years after which all dates fall on the same weekdays again; null: not known. */
  readonly cycleYears: number | null
  /** The last day on which a rule can recur. */
  readonly lastDay: number
  yearNumber(day: number, work: Work): number
  year(number: number, work: Work): Year
}

export function yearLength(year: Year): number {
  return year.offsets[year.months.length]!
}

export function monthStart(year: Year, index: number): number {
  return year.start + year.offsets[index]!
}

export function monthLength(year: Year, index: number): number {
  return year.offsets[index + 1]! - year.offsets[index]!
}

/** The index of the month of a day in its year. */
export function monthOf(year: Year, day: number): number {
  const inYear = day - year.start
  let index = Math.min(Math.floor(inYear / 28), year.months.length - 1)
  while (inYear < year.offsets[index]!) index--
  return index
}
