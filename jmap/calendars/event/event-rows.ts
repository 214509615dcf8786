/** Rows that queries of events read: their times, and what lists are sorted by. */
import type { CalendarEventKeys } from '../../../storage/repos/calendar-event-query.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import type { ConditionOf } from '../../type/derived.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import { instantOfLocal } from './wall-time.ts'

export type EventCondition = ConditionOf<typeof CalendarEvent>

/** Wall times as if in UTC and instants differ by no more in any zone. */
export const ZONES_MS = 16 * 3_600_000

/** What lists are sorted by. */
export interface Found {
  /** Of the event or of its instance. */
  readonly number: number
  readonly start: number
  readonly uid: string
  readonly recurrenceId: string
  readonly created: number
  readonly updated: number
}

/** The instant of a LocalDateTime in a condition. */
export function instantOf(name: 'after' | 'before', value: string, zone: string): number {
  const local = parseLocal(value)
  if (local === null) throw invalidArguments(`The filter '${name}' is no LocalDateTime.`, ['filter'])
  return instantOfLocal(local, zone)
}

/** The conditions of a text, by the name of the condition. */
export const TEXT_CONDITIONS = ['text', 'title', 'description', 'location', 'owner', 'attendee'] as const

export function foundOf(row: CalendarEventKeys): Found {
  return {
    number: row.id,
    start: row.first_start_at,
    uid: row.uid,
    recurrenceId: row.recurrence_id,
    created: row.made_at,
    updated: row.updated_at,
  }
}

/** The times of an event that does not recur. */
export function timeOf({ is_floating, start_at, end_at }: CalendarEventKeys, zone: string) {
  if (is_floating === 0) return { start: start_at, end: end_at }
  return { start: instantOfLocal(start_at, zone), end: instantOfLocal(end_at, zone) }
}
