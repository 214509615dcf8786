/** Times as a visitor reads them. */
import type { Language } from './languages.ts'

export interface TimeTexts {
  readonly hours: 12 | 24
  /** `9:30 AM` */
  time(instant: number): string
  /** `Monday, November 23, 2026` */
  day(instant: number): string
  /** Of a date `2026-11-23`, in whatever zone. */
  date(date: string): string
  /** `November 2026` */
  month(month: string): string
  /** Short and long names of weekdays. @param weekStart 0 is Sunday */
  weekdays(weekStart: number): { readonly short: string; readonly long: string }[]
  /** Day, time and end: `Monday, November 23, 2026, 9:30 – 10:00 AM` */
  span(start: number, end: number): string
}

/** 2023-01-01 was a Sunday. */
const SUNDAY = Date.UTC(2023, 0, 1)
const DAY_MS = 86_400_000

/** @param hours null: as usual in the language */
export function timeTexts({ locale }: Language, timeZone: string, hours: 12 | 24 | null): TimeTexts {
  const usual = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12
  const clock = hours ?? (usual ? 12 : 24)
  const hourCycle = clock === 12 ? 'h12' : 'h23'
  const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options)
  const time = of({ timeStyle: 'short', timeZone, hourCycle })
  const day = of({ dateStyle: 'full', timeZone })
  const span = of({ dateStyle: 'full', timeStyle: 'short', timeZone, hourCycle })
  const date = of({ dateStyle: 'full', timeZone: 'UTC' })
  const month = of({ month: 'long', year: 'numeric', timeZone: 'UTC' })
  return {
    hours: clock,
    time: (instant) => plain(time.format(instant)),
    day: (instant) => plain(day.format(instant)),
    date: (text) => plain(date.format(Date.parse(`${text}T00:00:00Z`))),
    month: (text) => plain(month.format(Date.parse(`${text}-01T00:00:00Z`))),
    span: (start, end) => plain(span.formatRange(start, end)),
    weekdays(weekStart) {
      const [short, long] = [of({ weekday: 'short', timeZone: 'UTC' }), of({ weekday: 'long', timeZone: 'UTC' })]
      return Array.from({ length: 7 }, (_, i) => {
        const at = SUNDAY + (weekStart + i) * DAY_MS
        return { short: short.format(at), long: long.format(at) }
      })
    },
  }
}

/** ICU writes narrow spaces, which some fonts do not have. */
function plain(text: string): string {
  return text.replaceAll(/[\u2009\u202f]/g, ' ')
}
