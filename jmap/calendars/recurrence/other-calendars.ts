/** Calendars other than the Gregorian one, from the tables of ICU behind Intl. A year is looked up once. */
import { forgetOldest } from '../../../server/base/forget-oldest.ts'
import type { CalendarSystem, Year } from './calendar-year.ts'
import { DAY_SECONDS, dayOfDate } from './local-time.ts'
import { RecurrenceError, type Work } from './work.ts'

/** Names of CLDR with the longest month and year. `islamic` alone depends on the place of observation; ICU reads it as a table. */
type Shape = { readonly monthDaysMax: number; readonly yearDaysMax: number; readonly yearMonths: number | null }

const KNOWN: { readonly [name: string]: Shape } = {
  chinese: { monthDaysMax: 30, yearDaysMax: 385, yearMonths: null },
  coptic: { monthDaysMax: 30, yearDaysMax: 366, yearMonths: 13 },
  dangi: { monthDaysMax: 30, yearDaysMax: 385, yearMonths: null },
  ethioaa: { monthDaysMax: 30, yearDaysMax: 366, yearMonths: 13 },
  ethiopic: { monthDaysMax: 30, yearDaysMax: 366, yearMonths: 13 },
  hebrew: { monthDaysMax: 30, yearDaysMax: 385, yearMonths: null },
  indian: { monthDaysMax: 31, yearDaysMax: 366, yearMonths: 12 },
  islamic: { monthDaysMax: 30, yearDaysMax: 355, yearMonths: 12 },
  'islamic-civil': { monthDaysMax: 30, yearDaysMax: 355, yearMonths: 12 },
  'islamic-rgsa': { monthDaysMax: 30, yearDaysMax: 355, yearMonths: 12 },
  'islamic-tbla': { monthDaysMax: 30, yearDaysMax: 355, yearMonths: 12 },
  'islamic-umalqura': { monthDaysMax: 30, yearDaysMax: 355, yearMonths: 12 },
  persian: { monthDaysMax: 31, yearDaysMax: 366, yearMonths: 12 },
}

/** Outside of these years ICU calculates astronomical calendars slowly, and eras change the count of years. */
const FIRST_DAY = dayOfDate(1800, 1, 1)
const LAST_DAY = dayOfDate(2200, 1, 1)

/** Years that reach over the last day are not read. */
const MARGIN_DAYS = 800

/** A year of the Chinese calendar takes up to 2 ms, and a conversion of one day some microseconds. */
const YEAR_STEPS = 100_000
const CONVERSION_STEPS = 1_000
const YEARS_KEPT = 500

type CalendarDate = { readonly year: number; readonly month: string; readonly date: number }

export function otherCalendar(rscale: string): CalendarSystem | null {
  const known = Object.hasOwn(KNOWN, rscale) ? KNOWN[rscale]! : null
  if (known === null) return null
  const found = loaded.get(rscale)
  if (found !== undefined) return found
  const calendar = new IntlCalendar(rscale, known)
  loaded.set(rscale, calendar)
  return calendar
}

const loaded = new Map<string, CalendarSystem>()

class IntlCalendar implements CalendarSystem {
  readonly monthDaysMax: number
  readonly yearDaysMax: number
  readonly yearMonths: number | null
  readonly cycleYears = null
  readonly lastDay = LAST_DAY - MARGIN_DAYS
  private readonly name: string
  private readonly format: Intl.DateTimeFormat
  private readonly years = new Map<number, Year>()

  constructor(name: string, { monthDaysMax, yearDaysMax, yearMonths }: Shape) {
    this.name = name
    this.monthDaysMax = monthDaysMax
    this.yearDaysMax = yearDaysMax
    this.yearMonths = yearMonths
    this.format = new Intl.DateTimeFormat(`en-u-ca-${name}-nu-latn`, {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      timeZone: 'UTC',
    })
  }

  yearNumber(day: number, work: Work): number {
    return this.dateOf(day, work).year
  }

  year(number: number, work: Work): Year {
    const kept = this.years.get(number)
    if (kept !== undefined) return kept
    work.spend(YEAR_STEPS)
    const year = this.readYear(number, work)
    this.years.set(number, year)
    forgetOldest(this.years, YEARS_KEPT)
    return year
  }

  private readYear(number: number, work: Work): Year {
    const start = this.startOf(number, work)
    const names: string[] = []
    const offsets = [0]
    let date = this.dateOf(start, work)
    for (let month = start; date.year === number; date = this.dateOf(month, work)) {
      names.push(date.month)
      month = this.nextMonth(month, work)
      offsets.push(month - start)
    }
    return { number, start, months: this.name === 'hebrew' ? hebrewMonths(names.length) : monthNames(names), offsets }
  }

  /** The first day of a year, from an estimate by way of its month. */
  private startOf(number: number, work: Work): number {
    const known = this.dateOf(FIRST_DAY, work)
    let day = Math.round(FIRST_DAY + (number - known.year) * (this.name.startsWith('islamic') ? 354.367 : 365.2425))
    let date = this.dateOf(day, work)
    while (date.year < number) {
      day = this.nextMonth(day - date.date + 1, work)
      date = this.dateOf(day, work)
    }
    while (date.year >= number) {
      day -= date.date
      date = this.dateOf(day, work)
    }
    return day + 1
  }

  /** The first day of the month after the one that begins on a day. Months have 5 to 32 days. */
  private nextMonth(start: number, work: Work): number {
    const month = this.dateOf(start, work).month
    for (let day = start + 29; ; day++) {
      const date = this.dateOf(day, work)
      if (date.month !== month) return day - date.date + 1
    }
  }

  private dateOf(day: number, work: Work): CalendarDate {
    work.spend(CONVERSION_STEPS)
    if (day < FIRST_DAY || day > LAST_DAY) {
      throw new RecurrenceError(
        'invalidRule',
        `recurrences of the calendar "${this.name}" are known from 1800 to 2199 only`,
      )
    }
    const parts: { [type: string]: string } = {}
    for (const { type, value } of this.format.formatToParts(day * DAY_SECONDS * 1_000)) parts[type] = value
    return { year: Number(parts['relatedYear'] ?? parts['year']), month: parts['month']!, date: Number(parts['day']) }
  }
}

/** ICU writes a leap month of the Chinese calendar as `9bis`. */
function monthNames(names: readonly string[]): string[] {
  return names.map((name) => `${Number.parseInt(name, 10)}${/^\d+$/.test(name) ? '' : 'L'}`)
}

/** RFC 7529 4.2: the leap month of the Hebrew calendar, Adar I, is `5L`, so that Adar is always the sixth. */
function hebrewMonths(count: number): string[] {
  const regular = Array.from({ length: 12 }, (_, index) => String(index + 1))
  return count === 13 ? [...regular.slice(0, 5), '5L', ...regular.slice(5)] : regular
}
