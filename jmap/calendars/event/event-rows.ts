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

/** Places of a new list. */
const FIRST_CAPACITY = 64

/**
 * Events and instances of a list, as columns: a month of a large calendar has thousands, and an object for each costs more than the rest.
 * The arrays have a capacity: those of JavaScript that grow by themselves take as long as the expansion of the rules.
 */
export class FoundEvents {
  /** Each row once for what was added of it without another between. */
  readonly rows: EventRow[] = []
  #length = 0
  #rowIndexes = new Uint32Array(FIRST_CAPACITY)
  #starts = new Float64Array(FIRST_CAPACITY)
  #instances = new Float64Array(FIRST_CAPACITY)

  get length(): number {
    return this.#length
  }

  /** For each place of the list: the index of its row. */
  get rowIndexes(): Uint32Array {
    return this.#rowIndexes.subarray(0, this.#length)
  }

  /** Epoch ms. */
  get starts(): Float64Array {
    return this.#starts.subarray(0, this.#length)
  }

  /** Recurrence ids in local seconds, or WHOLE. */
  get instances(): Float64Array {
    return this.#instances.subarray(0, this.#length)
  }

  add(row: EventRow, start: number, instance: number): void {
    if (this.rows[this.rows.length - 1] !== row) this.rows.push(row)
    this.#makeRoom(1)
    const at = this.#length++
    this.#rowIndexes[at] = this.rows.length - 1
    this.#starts[at] = start
    this.#instances[at] = instance
  }

  addAll(row: EventRow, { ids, starts, length }: InstanceColumns): void {
    if (length === 0) return
    this.#makeRoom(length)
    const index = this.rows.push(row) - 1
    const from = this.#length
    this.#length += length
    this.#rowIndexes.fill(index, from, from + length)
    const [ownStarts, ownInstances] = [this.#starts, this.#instances]
    for (let at = 0; at < length; at++) {
      ownStarts[from + at] = starts[at]!
      ownInstances[from + at] = ids[at]!
    }
  }

  #makeRoom(more: number): void {
    let capacity = this.#starts.length
    if (this.#length + more <= capacity) return
    while (capacity < this.#length + more) capacity *= 2
    const [rowIndexes, starts, instances] = [this.rowIndexes, this.starts, this.instances]
    this.#rowIndexes = new Uint32Array(capacity)
    this.#starts = new Float64Array(capacity)
    this.#instances = new Float64Array(capacity)
    this.#rowIndexes.set(rowIndexes)
    this.#starts.set(starts)
    this.#instances.set(instances)
  }

  filter(isWanted: (row: EventRow, instance: number) => boolean): FoundEvents {
    const wanted = new FoundEvents()
    const { rowIndexes, starts, instances } = this
    for (const [at, instance] of instances.entries()) {
      const row = this.rows[rowIndexes[at]!]!
      if (isWanted(row, instance)) wanted.add(row, starts[at]!, instance)
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
