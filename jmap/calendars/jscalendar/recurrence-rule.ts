/** RecurrenceRule and NDay (jscalendarbis 3.3.3). */

export const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'] as const
export type Weekday = (typeof WEEKDAYS)[number]

export const FREQUENCIES = ['yearly', 'monthly', 'weekly', 'daily', 'hourly', 'minutely', 'secondly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

export const SKIPS = ['omit', 'backward', 'forward'] as const

export type NDay = {
  readonly '@type'?: 'NDay'
  readonly day: Weekday
  /** Not zero; negative from the end of the period. */
  readonly nthOfPeriod?: number
}

export type RecurrenceRule = {
  readonly '@type'?: 'RecurrenceRule'
  readonly frequency: Frequency
  /** At least 1; absent: 1. */
  readonly interval?: number
  /** A calendar of CLDR in lower case; absent: `gregorian`. */
  readonly rscale?: string
  /** Absent: `omit`. */
  readonly skip?: (typeof SKIPS)[number]
  /** Absent: `mo`. */
  readonly firstDayOfWeek?: Weekday
  readonly byDay?: readonly NDay[]
  readonly byMonthDay?: readonly number[]
  /** Months as text: `1` to `13`, with `L` after a leap month. */
  readonly byMonth?: readonly string[]
  readonly byYearDay?: readonly number[]
  readonly byWeekNo?: readonly number[]
  readonly byHour?: readonly number[]
  readonly byMinute?: readonly number[]
  readonly bySecond?: readonly number[]
  readonly bySetPosition?: readonly number[]
  /** At least 1. Not together with `until`. */
  readonly count?: number
  /** LocalDateTime in the event's time zone, inclusive. */
  readonly until?: string
}
