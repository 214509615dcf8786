/** The sorted list of a query of events. Instances get their numbers when they are listed. */
import type { MethodContext } from '../../type/context.ts'
import type { Comparator, SortOf } from '../../type/derived.ts'
import type { QueryResult } from '../../type/handlers.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import { type FoundEvents, WHOLE } from './event-rows.ts'
import { instanceKeyOf } from './recurrences.ts'

type SortName = SortOf<typeof CalendarEvent>

export function sortedResult(
  method: MethodContext,
  found: FoundEvents,
  sort: readonly Comparator<SortName>[],
): QueryResult {
  const { rows, instances } = found
  const isByStart = sort.every(({ property, isAscending }) => property === 'start' && isAscending)
  const order = isByStart ? inTime(found) : inOrder(found, sort)
  const numberOf = (at: number) => {
    const object = rows[at]!.id
    const instance = instances[at]!
    return instance === WHOLE ? object : method.request.instances.numberOf({ object, key: instanceKeyOf(instance) })
  }
  return {
    count: async () => order.length,
    slice: async (position, limit) => Array.from(order.subarray(position, position + limit), numberOf),
    ids: async (position, limit) => idsOf(method, found, order.subarray(position, position + limit)),
    async indexesOf(wanted) {
      const indexes = new Map(Array.from(order, (at, index) => [numberOf(at), index]))
      return new Map(wanted.flatMap((number) => (indexes.has(number) ? [[number, indexes.get(number) ?? 0]] : [])))
    },
  }
}

function idsOf(method: MethodContext, { rows, instances }: FoundEvents, order: Uint32Array): string[] {
  const encode = method.instanceEncoder(CalendarEvent)
  const ids: string[] = []
  for (let i = 0; i < order.length; i++) {
    const at = order[i]!
    const instance = instances[at]!
    const { id } = rows[at]!
    ids.push(instance === WHOLE ? method.id(CalendarEvent, id) : encode(id, instanceKeyOf(instance)))
  }
  return ids
}

/** The default: by start, then as they were made. Places in the list. */
function inTime(found: FoundEvents): Uint32Array {
  const keys = keysOfTimes(found)
  if (!keys) return inOrder(found, [])
  keys.sort()
  const scale = scaleOf(found.length)
  const order = new Uint32Array(keys.length)
  for (let at = 0; at < keys.length; at++) order[at] = keys[at]! - Math.floor(keys[at]! / scale) * scale
  return order
}

/**
 * A number for each, of its start and, behind it, its place: numbers are sorted several times as fast as objects.
 * null: the list is not in the order of `compareTimes` where starts are equal, or the numbers would be too large.
 */
function keysOfTimes(found: FoundEvents): Float64Array | null {
  const { starts } = found
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const start of starts) {
    if (start < least) least = start
    if (start > most) most = start
  }
  const scale = scaleOf(found.length)
  if ((most - least + 1) * scale > Number.MAX_SAFE_INTEGER) return null
  const keys = new Float64Array(found.length)
  for (let at = 0; at < found.length; at++) {
    if (at > 0 && isBehind(found, at - 1, at)) return null
    keys[at] = (starts[at]! - least) * scale + at
  }
  return keys
}

/** The least power of two that is no less: what divides by it is exact. */
function scaleOf(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, length)))
}

/** Whether one thing stands before another that was made earlier. */
function isBehind({ rows, starts, instances }: FoundEvents, a: number, b: number): boolean {
  const later = rows[a]!.id - rows[b]!.id
  return later > 0 || (later === 0 && starts[a] === starts[b] && instances[a]! > instances[b]!)
}

function inOrder(found: FoundEvents, sort: readonly Comparator<SortName>[]): Uint32Array {
  const order = Uint32Array.from(found.rows, (_, at) => at)
  return order.sort((a, b) => compare(found, a, b, sort) || compareTimes(found, a, b))
}

function compareTimes({ rows, starts, instances }: FoundEvents, a: number, b: number): number {
  return starts[a]! - starts[b]! || rows[a]!.id - rows[b]!.id || (instances[a]! > instances[b]! ? 1 : -1)
}

function compare(found: FoundEvents, a: number, b: number, sort: readonly Comparator<SortName>[]): number {
  for (const { property, isAscending } of sort) {
    const [x, y] = [keyOf(found, a, property), keyOf(found, b, property)]
    if (x !== y) return (x < y ? -1 : 1) * (isAscending ? 1 : -1)
  }
  return 0
}

function keyOf({ rows, starts, instances }: FoundEvents, at: number, property: SortName): string | number {
  const row = rows[at]!
  if (property === 'start') return starts[at]!
  if (property === 'uid') return row.uid ?? ''
  if (property === 'created') return row.made_at ?? 0
  if (property === 'updated') return row.updated_at ?? 0
  const instance = instances[at]!
  return instance === WHOLE ? (parseLocal(row.recurrence_id ?? '') ?? Number.NEGATIVE_INFINITY) / 1000 : instance
}
