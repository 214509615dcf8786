/** The months in which sends are counted (decision D27): of the subscription, else of the calendar; in UTC. */

export interface Period {
  /** Identifies the month: `2026-11`, or the day on which a month of the subscription begins, `2026-11-21`. */
  readonly key: string
  /** Epoch ms. */
  readonly start: number
  readonly end: number
}

/** @param subscribedAt epoch ms; null: no subscription */
export function periodAt(now: number, subscribedAt: number | null): Period {
  const date = new Date(now)
  const present = date.getUTCFullYear() * 12 + date.getUTCMonth()
  const day = subscribedAt === null ? 1 : new Date(subscribedAt).getUTCDate()
  const month = dayOf(present, day) > now ? present - 1 : present
  const start = dayOf(month, day)
  const text = new Date(start).toISOString()
  const key = text.slice(0, subscribedAt === null ? 'yyyy-mm'.length : 'yyyy-mm-dd'.length)
  return { key, start, end: dayOf(month + 1, day) }
}

/** Midnight of a day of a month, or of its last day if the month is shorter. @param month counted from the year 0 */
function dayOf(month: number, day: number): number {
  const [year, within] = [Math.floor(month / 12), month % 12]
  const last = new Date(Date.UTC(year, within + 1, 0)).getUTCDate()
  return Date.UTC(year, within, Math.min(day, last))
}

/** The same time of day some months later, on the last day of a month that is shorter. @param time epoch ms */
export function addMonths(time: number, months: number): number {
  const date = new Date(time)
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + months
  return (
    dayOf(month, date.getUTCDate()) + (time - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()))
  )
}
