/** /query for types whose objects are rows of a table with the columns `account` and `id`, in the order of their creation. */
import type { Reader } from '../../storage/ports.ts'
import { countRows, type RowCondition, type RowQuery, selectRows } from '../../storage/repos/numbered-rows.ts'
import type { Filter } from './derived.ts'
import { isOperator, mapConditions, type OfConditions } from './filter.ts'
import type { QueryResult } from './handlers.ts'

/** @param conditions what each condition of a filter means for a row */
export function rowCondition<C>(
  filter: Filter<C> | null,
  conditions: OfConditions<C, RowCondition>,
): RowCondition | null {
  if (filter === null) return null
  if (!isOperator(filter)) return { kind: 'and', conditions: mapConditions(filter, conditions) }
  const kind = filter.operator === 'AND' ? 'and' : filter.operator === 'OR' ? 'or' : 'not'
  return { kind, conditions: filter.conditions.map((inner) => rowCondition(inner, conditions)!) }
}

export function rowResult(reader: Reader, query: RowQuery): QueryResult {
  return {
    count: () => countRows(reader, query),
    slice: (position, limit) => selectRows(reader, query, position, limit),
    async indexesOf(numbers) {
      if (numbers.length === 0) return new Map()
      const wanted = new Set(numbers)
      const all = await selectRows(reader, query, 0, Number.MAX_SAFE_INTEGER)
      return new Map(all.flatMap((id, index) => (wanted.has(id) ? [[id, index] as const] : [])))
    },
  }
}
