/** Lists of events and instances in their order. Instances get their numbers when they are listed. */
import type { MethodContext } from '../../type/context.ts'
import type { Comparator, SortOf } from '../../type/derived.ts'
import type { QueryResult } from '../../type/handlers.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import { type EventRow, type FoundEvents, WHOLE } from './event-rows.ts'
import { orderOfTimes } from './order-of-times.ts'
import { instanceKeyOf } from './recurrences.ts'

type SortName = SortOf<typeof CalendarEvent>

/** What was found, in order: for each place the index of its row, its start (epoch ms), and its instance (local seconds, or WHOLE). */
export interface SortedEvents {
  readonly rows: readonly EventRow[]
  readonly rowIndexes: Uint32Array
  readonly starts: Float64Array
  readonly instances: Float64Array
}

/** The default order: by start, then as they were made. */
export function isByStart(sort: readonly Comparator<SortName>[]): boolean {
  return sort.every(({ property, isAscending }) => property === 'start' && isAscending)
}

export function sortEvents(found: FoundEvents, sort: readonly Comparator<SortName>[]): SortedEvents {
  const { rows, rowIndexes, starts, instances } = found
  const list = { rows, rowIndexes, starts, instances }
  const order = isByStart(sort) ? inTime(list) : placesOf(list).sort(comparison(list, sort))
  const sorted = {
    rows,
    rowIndexes: new Uint32Array(order.length),
    starts: new Float64Array(order.length),
    instances: new Float64Array(order.length),
  }
  for (let i = 0; i < order.length; i++) {
    const at = order[i]!
    sorted.rowIndexes[i] = rowIndexes[at]!
    sorted.starts[i] = starts[at]!
    sorted.instances[i] = instances[at]!
  }
  return sorted
}

function placesOf({ starts }: SortedEvents): Uint32Array {
  return Uint32Array.from(starts, (_, at) => at)
}

export function resultOf(method: MethodContext, sorted: SortedEvents): QueryResult {
  const { rows, rowIndexes, instances } = sorted
  const numberOf = (at: number) => {
    const object = rows[rowIndexes[at]!]!.id
    const instance = instances[at]!
    return instance === WHOLE ? object : method.request.instances.numberOf({ object, key: instanceKeyOf(instance) })
  }
  const places = (position: number, limit: number) =>
    Array.from({ length: Math.max(0, Math.min(limit, instances.length - position)) }, (_, at) => position + at)
  return {
    count: async () => instances.length,
    slice: async (position, limit) => places(position, limit).map(numberOf),
    ids: async (position, limit) => idsOf(method, sorted, position, Math.min(position + limit, instances.length)),
    async indexesOf(wanted) {
      const indexes = new Map(Array.from(instances, (_, at) => [numberOf(at), at]))
      return new Map(wanted.flatMap((number) => (indexes.has(number) ? [[number, indexes.get(number) ?? 0]] : [])))
    },
  }
}

function idsOf(
  method: MethodContext,
  { rows, rowIndexes, instances }: SortedEvents,
  from: number,
  to: number,
): string[] {
  const encoder = method.instanceEncoder(CalendarEvent)
  // Only of what is listed.
  const objects: (string | undefined)[] = new Array(rows.length)
  const ids: string[] = new Array(Math.max(0, to - from))
  for (let at = from; at < to; at++) {
    const index = rowIndexes[at]!
    const object = objects[index] ?? encoder.objectId(rows[index]!.id)
    objects[index] = object
    const instance = instances[at]!
    ids[at - from] = instance === WHOLE ? object : object + encoder.keyText(instanceKeyOf(instance))
  }
  return ids
}

/** Places in the list. */
function inTime({ rows, rowIndexes, starts, instances }: SortedEvents): Uint32Array {
  const order = orderOfTimes(starts)
  const compare = comparison({ rows, rowIndexes, starts, instances }, [])
  for (let i = 1; i < order.length; i++) {
    const start = starts[order[i]!]!
    if (starts[order[i - 1]!] !== start || compare(order[i - 1]!, order[i]!) < 0) continue
    // Not in the order of their events, as they are where one was expanded after the others.
    let from = i - 1
    while (from > 0 && starts[order[from - 1]!] === start) from--
    while (i + 1 < order.length && starts[order[i + 1]!] === start) i++
    order.subarray(from, i + 1).sort(compare)
  }
  return order
}

/** By the comparators, then in the default order. Of places in the list. */
function comparison(list: SortedEvents, sort: readonly Comparator<SortName>[]): (a: number, b: number) => number {
  const { rows, rowIndexes, starts, instances } = list
  return (a, b) => {
    for (const { property, isAscending } of sort) {
      const [x, y] = [keyOf(list, a, property), keyOf(list, b, property)]
      if (x !== y) return (x < y ? -1 : 1) * (isAscending ? 1 : -1)
    }
    return (
      starts[a]! - starts[b]! || rows[rowIndexes[a]!]!.id - rows[rowIndexes[b]!]!.id || instances[a]! - instances[b]!
    )
  }
}

function keyOf({ rows, rowIndexes, starts, instances }: SortedEvents, at: number, property: SortName): string | number {
  const row = rows[rowIndexes[at]!]!
  if (property === 'start') return starts[at]!
  if (property === 'uid') return row.uid ?? ''
  if (property === 'created') return row.made_at ?? 0
  if (property === 'updated') return row.updated_at ?? 0
  const instance = instances[at]!
  return instance === WHOLE ? (parseLocal(row.recurrence_id ?? '') ?? Number.NEGATIVE_INFINITY) / 1000 : instance
}
