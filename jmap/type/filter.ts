/** RFC 8620 5.5: filters judged in memory, for types of which an account has few objects. */
import type { Json } from '../protocol/json.ts'
import { isObject } from '../protocol/json-object.ts'

/**
 * Whether an object passes a filter that checkQuery has found to be well-formed.
 * @param test whether the object meets one condition of a FilterCondition
 */
export function passesFilter(filter: Json, test: (name: string, value: Json) => boolean): boolean {
  if (!isObject(filter)) return true
  if (typeof filter['operator'] !== 'string') return Object.entries(filter).every(([name, value]) => test(name, value))
  const conditions = filter['conditions'] as readonly Json[]
  const passes = (condition: Json) => passesFilter(condition, test)
  if (filter['operator'] === 'AND') return conditions.every(passes)
  return filter['operator'] === 'OR' ? conditions.some(passes) : !conditions.some(passes)
}
