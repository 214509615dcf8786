/** Rows that queries of events read: their times, and what lists are sorted by. */
import {
  type Between,
  type CalendarEventKeys,
  type CalendarEventTimes,
  calendarEventsBetween,
} from '../../../storage/repos/calendar-event-query.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import type { ConditionOf } from '../../type/derived.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import type { InstanceColumns } from '../recurrence/instance-columns.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import { eventTimesBetween } from './kept-times.ts'
import { instantOfLocal } from './wall-time.ts'

export type EventCondition = ConditionOf<typeof CalendarEvent>

/** Wall times as if in UTC and instants differ by no more in any zone. */
export const ZONES_MS = 16 * 3_600_000

/** A row of an event, with the columns that only some sorts and conditions need. */
export type EventRow = CalendarEventTimes & Partial<CalendarEventKeys>

/** In place of the recurrence id of an instance: the whole event. */
export const WHOLE: number = Number.NEGATIVE_INFINITY

/** Events and instances of a list, as columns: a month of a large calendar has thousands, and an object for each costs more than the rest. */
export class FoundEvents {
  /** Each row once for what was added of it without another between. */
  readonly rows: EventRow[] = []
  /** For each place of the list: the index of its row. */
  readonly rowIndexes: number[] = []
  /** Epoch ms. */
  readonly starts: number[] = []
  /** Recurrence ids in local seconds, or WHOLE. */
  readonly instances: number[] = []

  get length(): number {
    return this.starts.length
  }

  rowAt(at: number): EventRow {
    return this.rows[this.rowIndexes[at]!]!
  }

  add(row: EventRow, start: number, instance: number): void {
    if (this.rows[this.rows.length - 1] !== row) this.rows.push(row)
    this.rowIndexes.push(this.rows.length - 1)
    this.starts.push(start)
    this.instances.push(instance)
  }

  addAll(row: EventRow, { ids, starts, length }: InstanceColumns): void {
    if (length === 0) return
    const index = this.rows.push(row) - 1
    for (let at = 0; at < length; at++) {
      this.rowIndexes.push(index)
      this.starts.push(starts[at]!)
      this.instances.push(ids[at]!)
    }
  }

  filter(isWanted: (row: EventRow, instance: number) => boolean): FoundEvents {
    const wanted = new FoundEvents()
    for (const [at, instance] of this.instances.entries()) {
      const row = this.rowAt(at)
      if (isWanted(row, instance)) wanted.add(row, this.starts[at]!, instance)
    }
    return wanted
  }
}

/** The instant of a LocalDateTime in a condition. */
export function instantOf(name: 'after' | 'before', value: string, zone: string): number {
  const local = parseLocal(value)
  if (local === null) throw invalidArguments(`The filter '${name}' is no LocalDateTime.`, ['filter'])
  return instantOfLocal(local, zone)
}

/** The conditions of a text, by the name of the condition. */
export const TEXT_CONDITIONS = ['text', 'title', 'description', 'location', 'owner', 'participant', 'attendee'] as const

export interface FoundRows {
  readonly rows: readonly EventRow[]
  /** They are the same objects as at an earlier query, unless their events have changed (kept-times.ts). */
  readonly areKept: boolean
}

/** Rows of events that may be between two times, with the columns that the query needs. In no order. */
export async function rowsBetween(
  { reader, method }: ReadContext,
  bounds: Between,
  needsKeys: boolean,
): Promise<FoundRows> {
  const account = method.account.number
  if (needsKeys) return { rows: await calendarEventsBetween(reader, account, bounds), areKept: false }
  return eventTimesBetween(method.services.store, reader, account, bounds)
}

/** The times of an event that does not recur. */
export function timeOf({ is_floating, start_at, end_at }: EventRow, zone: string) {
  if (is_floating === 0) return { start: start_at, end: end_at }
  return { start: instantOfLocal(start_at, zone), end: instantOfLocal(end_at, zone) }
}
