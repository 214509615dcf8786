/** The sorted list of a query of events. Instances get their numbers when they are listed. */
import type { MethodContext } from '../../type/context.ts'
import type { Comparator, SortOf } from '../../type/derived.ts'
import type { QueryResult } from '../../type/handlers.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import type { Found } from './event-rows.ts'
import { instanceKeyOf } from './recurrences.ts'

type SortName = SortOf<typeof CalendarEvent>

export function sortedResult(
  method: MethodContext,
  given: Found[],
  sort: readonly Comparator<SortName>[],
): QueryResult {
  const isByStart = sort.every(({ property, isAscending }) => property === 'start' && isAscending)
  const found = isByStart ? inTime(given) : given.sort((a, b) => compare(a, b, sort) || compareTimes(a, b))
  const { instances } = method.request
  const instanceIn = ({ row, instance }: Found) => ({ object: row.id, key: instanceKeyOf(instance ?? 0) })
  const numberOf = (one: Found) => (one.instance === null ? one.row.id : instances.numberOf(instanceIn(one)))
  return {
    count: async () => found.length,
    slice: async (position, limit) => found.slice(position, position + limit).map(numberOf),
    async ids(position, limit) {
      return found
        .slice(position, position + limit)
        .map(({ row, instance }) =>
          instance === null
            ? method.id(CalendarEvent, row.id)
            : method.instanceId(CalendarEvent, row.id, instanceKeyOf(instance)),
        )
    },
    async indexesOf(wanted) {
      const indexes = new Map(found.map((one, index) => [numberOf(one), index]))
      return new Map(wanted.flatMap((number) => (indexes.has(number) ? [[number, indexes.get(number) ?? 0]] : [])))
    },
  }
}

/** The default: by start, then as they were made. */
function inTime(found: Found[]): readonly Found[] {
  const keys = keysOfTimes(found)
  if (!keys) return found.sort(compareTimes)
  keys.sort()
  const scale = scaleOf(found.length)
  const sorted: Found[] = []
  for (const key of keys) sorted.push(found[key - Math.floor(key / scale) * scale]!)
  return sorted
}

/**
 * A number for each, of its start and, behind it, its place: numbers are sorted several times as fast as objects.
 * null: the list is not in the order of `compareTimes` where starts are equal, or the numbers would be too large.
 */
function keysOfTimes(found: readonly Found[]): Float64Array | null {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { start } of found) {
    if (start < least) least = start
    if (start > most) most = start
  }
  const scale = scaleOf(found.length)
  if ((most - least + 1) * scale > Number.MAX_SAFE_INTEGER) return null
  const keys = new Float64Array(found.length)
  for (let at = 0; at < found.length; at++) {
    const one = found[at]!
    if (at > 0 && isBehind(found[at - 1]!, one)) return null
    keys[at] = (one.start - least) * scale + at
  }
  return keys
}

/** The least power of two that is no less: what divides by it is exact. */
function scaleOf(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, length)))
}

/** Whether one thing stands before another that was made earlier. */
function isBehind(a: Found, b: Found): boolean {
  return a.row.id > b.row.id || (a.row.id === b.row.id && a.start === b.start && (a.instance ?? 0) > (b.instance ?? 0))
}

function compareTimes(a: Found, b: Found): number {
  return a.start - b.start || a.row.id - b.row.id || (a.instance ?? 0) - (b.instance ?? 0)
}

function compare(a: Found, b: Found, sort: readonly Comparator<SortName>[]): number {
  for (const { property, isAscending } of sort) {
    const [x, y] = [keyOf(a, property), keyOf(b, property)]
    if (x !== y) return (x < y ? -1 : 1) * (isAscending ? 1 : -1)
  }
  return 0
}

function keyOf({ row, start, instance }: Found, property: SortName): string | number {
  if (property === 'start') return start
  if (property === 'uid') return row.uid ?? ''
  if (property === 'created') return row.made_at ?? 0
  if (property === 'updated') return row.updated_at ?? 0
  return instance ?? (parseLocal(row.recurrence_id ?? '') ?? Number.NEGATIVE_INFINITY) / 1000
}
