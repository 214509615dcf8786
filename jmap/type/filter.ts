/** Filters: RFC 8620 5.5. `checkQuery` (methods/query.ts) has accepted them, so they hold declared conditions only. */
import type { Filter, FilterOperator } from './derived.ts'

/** For each condition a function of its value. */
export type OfConditions<C, R> = { readonly [N in keyof C]-?: (value: Exclude<C[N], undefined>) => R }

export function isOperator<C>(filter: Filter<C>): filter is FilterOperator<C> {
  return Object.hasOwn(filter as object, 'operator')
}

/** Calls the function of each condition that a FilterCondition holds. */
export function mapConditions<C, R>(condition: C, functions: OfConditions<C, R>): R[] {
  const byName = functions as { readonly [name: string]: (value: unknown) => R }
  return Object.entries(condition as object).map(([name, value]) => byName[name]!(value))
}

/** Whether an object passes a filter, for types that are filtered in memory. @param meets whether the object meets a condition */
export function passes<C>(filter: Filter<C> | null, meets: (condition: C) => boolean): boolean {
  if (filter === null) return true
  if (!isOperator(filter)) return meets(filter)
  const inner = (condition: Filter<C>) => passes(condition, meets)
  if (filter.operator === 'AND') return filter.conditions.every(inner)
  return filter.operator === 'OR' ? filter.conditions.some(inner) : !filter.conditions.some(inner)
}

/** `passes` with a test for each condition's value. */
export function passesFilter<C>(filter: Filter<C> | null, tests: OfConditions<C, boolean>): boolean {
  return passes(filter, (condition) => mapConditions(condition, tests).every(Boolean))
}

/** Whether a filter holds any of these conditions. */
export function hasCondition<C>(filter: Filter<C> | null, names: readonly (keyof C)[]): boolean {
  if (filter === null) return false
  if (isOperator(filter)) return filter.conditions.some((inner) => hasCondition(inner, names))
  return names.some((name) => Object.hasOwn(filter as object, name))
}
