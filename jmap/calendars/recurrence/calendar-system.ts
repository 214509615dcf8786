/** The calendar of a rule (`rscale`, RFC 7529 4). */
import type { CalendarSystem, Year } from './calendar-year.ts'
import { dateOfDay, dayOfDate, isLeapYear } from './local-time.ts'
import { otherCalendar } from './other-calendars.ts'

const GREGORIAN_MONTHS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']
const COMMON = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
const LEAP = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366]

/** The years that were asked for. */
const years: (Year | undefined)[] = new Array(10_000)

const GREGORIAN: CalendarSystem = {
  monthDaysMax: 31,
  yearDaysMax: 366,
  yearMonths: 12,
  cycleYears: 400,
  lastDay: dayOfDate(9999, 12, 31),
  yearNumber: (day) => dateOfDay(day).year,
  year: (number) => {
    const known = years[number]
    if (known !== undefined) return known
    const year = {
      number,
      start: dayOfDate(number, 1, 1),
      months: GREGORIAN_MONTHS,
      offsets: isLeapYear(number) ? LEAP : COMMON,
    }
    // Rules look one year beyond the last one.
    if (number >= 0 && number < years.length) years[number] = year
    return year
  },
}

/** Calendars whose months and leap years are those of the Gregorian one: they only count the years otherwise. */
const LIKE_GREGORIAN = ['gregorian', 'gregory', 'iso8601', 'buddhist', 'japanese', 'roc']

/** The calendar of an `rscale`, which is a name of CLDR in lower case; null: not known here. */
export function calendarSystem(rscale: string): CalendarSystem | null {
  return LIKE_GREGORIAN.includes(rscale) ? GREGORIAN : otherCalendar(rscale)
}
