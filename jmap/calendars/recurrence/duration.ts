/** A Duration (RFC 8984 1.4.6): weeks and days are of the local clock, hours, minutes and seconds of absolute time. */
const DURATION = /^P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/
/** Days of more years than a calendar has. */
const DAYS_MAX = 4_000_000

export type Duration = { readonly days: number; readonly seconds: number }

/** null: it is none, or longer than 10,000 years. */
export function parseDuration(text: string): Duration | null {
  const match = DURATION.exec(text)
  if (match === null) return null
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const duration = { days: weeks * 7 + days, seconds: hours * 3_600 + minutes * 60 + seconds }
  return duration.days <= DAYS_MAX && duration.seconds <= DAYS_MAX * 86_400 ? duration : null
}
