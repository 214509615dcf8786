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
  const order = isByStart(sort) ? inTime(found) : inOrder(found, sort)
  const { rows, rowIndexes, starts, instances } = found
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
  const ids: string[] = []
  for (let at = from; at < to; at++) {
    const index = rowIndexes[at]!
    const object = objects[index] ?? encoder.objectId(rows[index]!.id)
    objects[index] = object
    const instance = instances[at]!
    ids.push(instance === WHOLE ? object : object + encoder.keyText(instanceKeyOf(instance)))
  }
  return ids
}

/** Places in the list. */
function inTime(found: FoundEvents): Uint32Array {
  const { starts, length } = found
  const order = orderOfTimes(starts)
  for (let i = 1; i < length; i++) {
    const start = starts[order[i]!]!
    if (starts[order[i - 1]!] !== start || compareTimes(found, order[i - 1]!, order[i]!) < 0) continue
    // Not in the order of their events, as they are where one was expanded after the others.
    let from = i - 1
    while (from > 0 && starts[order[from - 1]!] === start) from--
    while (i + 1 < length && starts[order[i + 1]!] === start) i++
    order.subarray(from, i + 1).sort((a, b) => compareTimes(found, a, b))
  }
  return order
}

function inOrder(found: FoundEvents, sort: readonly Comparator<SortName>[]): Uint32Array {
  const order = Uint32Array.from(found.starts, (_, at) => at)
  return order.sort((a, b) => compare(found, a, b, sort) || compareTimes(found, a, b))
}

function compareTimes(found: FoundEvents, a: number, b: number): number {
  const { starts, instances } = found
  return starts[a]! - starts[b]! || found.rowAt(a).id - found.rowAt(b).id || instances[a]! - instances[b]!
}

function compare(found: FoundEvents, a: number, b: number, sort: readonly Comparator<SortName>[]): number {
  for (const { property, isAscending } of sort) {
    const [x, y] = [keyOf(found, a, property), keyOf(found, b, property)]
    if (x !== y) return (x < y ? -1 : 1) * (isAscending ? 1 : -1)
  }
  return 0
}

function keyOf(found: FoundEvents, at: number, property: SortName): string | number {
  const row = found.rowAt(at)
  if (property === 'start') return found.starts[at]!
  if (property === 'uid') return row.uid ?? ''
  if (property === 'created') return row.made_at ?? 0
  if (property === 'updated') return row.updated_at ?? 0
  const instance = found.instances[at]!
  return instance === WHOLE ? (parseLocal(row.recurrence_id ?? '') ?? Number.NEGATIVE_INFINITY) / 1000 : instance
}
