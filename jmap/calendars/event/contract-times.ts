/** The times of an event as the contract shows them (decisions D21, D32): instants, or of an all-day event dates. */
import { formatLocal, parseDuration, parseLocal } from '../jscalendar/date-times.ts'
import { intervalOf } from './event-times.ts'

const DAY_MS = 86_400_000

export interface ContractTimes {
  /** ISO 8601 in UTC with milliseconds; of an all-day event the date. */
  readonly start: string
  /** Exclusive. */
  readonly end: string
  /** null: all-day or floating. */
  readonly timezone: string | null
  readonly duration: string
}

interface Shown {
  readonly start?: string | null | undefined
  readonly duration?: string | null | undefined
  readonly timeZone?: string | null | undefined
  readonly showWithoutTime?: boolean | null | undefined
}

/** @param ownerZone where floating events take place */
export function contractTimes(event: Shown, ownerZone: string): ContractTimes {
  const { start, duration, timeZone } = event
  if (event.showWithoutTime === true) {
    const local = parseLocal(start ?? '') ?? 0
    const { days, ms } = parseDuration(duration ?? 'P1D') ?? { days: 1, ms: 0 }
    const length = Math.max(1, days + Math.ceil(ms / DAY_MS))
    const [first, after] = [local, local + length * DAY_MS].map((day) => formatLocal(day).slice(0, 10))
    return { start: first!, end: after!, timezone: null, duration: `P${length}D` }
  }
  const interval = intervalOf(
    { start: start ?? '', duration: duration ?? undefined, timeZone: timeZone ?? null },
    ownerZone,
  )
  return {
    start: new Date(interval.start).toISOString(),
    end: new Date(interval.end).toISOString(),
    timezone: timeZone ?? null,
    duration: duration ?? 'PT0S',
  }
}

/** The original local time of an instance; of an all-day event the date. */
export function contractRecurrenceId(recurrenceId: string, isAllDay: boolean): string {
  return isAllDay ? recurrenceId.slice(0, 10) : recurrenceId
}
