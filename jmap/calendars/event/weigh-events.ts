/** How much the methods of CalendarEvent may have to read (jmap/type/weight.ts). */
import type { JsonObject } from '../../../server/base/json.ts'
import { FEW_EMAILS } from '../../../server/base/reading-limits.ts'
import type { StandardMethod } from '../../type/define-type.ts'
import type { Weight } from '../../type/weight.ts'

/** Expansion of many rules, and of a rule for the first time, takes milliseconds of CPU. */
export function weighEvents(verb: StandardMethod, { ids }: JsonObject): Weight | undefined {
  if (verb === 'query' || verb === 'queryChanges') return 'much'
  return verb === 'get' ? (Array.isArray(ids) && ids.length <= FEW_EMAILS ? 'some' : 'much') : undefined
}
