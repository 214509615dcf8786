/** The sorted list of a query of events. Instances get their numbers when they are listed. */
import type { Comparator, SortOf } from '../../type/derived.ts'
import type { QueryResult } from '../../type/handlers.ts'
import type { InstanceNumbers } from '../../type/instance-numbers.ts'
import { parseLocal } from '../jscalendar/date-times.ts'
import type { CalendarEvent } from './calendar-event.type.ts'
import type { Found } from './event-rows.ts'
import { instanceKeyOf } from './recurrences.ts'

type SortName = SortOf<typeof CalendarEvent>

export function sortedResult(
  instances: InstanceNumbers,
  found: Found[],
  sort: readonly Comparator<SortName>[],
): QueryResult {
  const isByStart = sort.every(({ property, isAscending }) => property === 'start' && isAscending)
  found.sort(isByStart ? inTime : (a, b) => compare(a, b, sort) || inTime(a, b))
  const instanceIn = ({ row, instance }: Found) => ({ object: row.id, key: instanceKeyOf(instance ?? 0) })
  const numberOf = (one: Found) => (one.instance === null ? one.row.id : instances.numberOf(instanceIn(one)))
  return {
    count: async () => found.length,
    slice: async (position, limit) =>
      found
        .slice(position, position + limit)
        .map((one) => (one.instance === null ? one.row.id : instances.add(instanceIn(one)))),
    async indexesOf(wanted) {
      const indexes = new Map(found.map((one, index) => [numberOf(one), index]))
      return new Map(wanted.flatMap((number) => (indexes.has(number) ? [[number, indexes.get(number) ?? 0]] : [])))
    },
  }
}

/** The default: by start, then as they were made. */
function inTime(a: Found, b: Found): number {
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
