/** `created_after` and `created_before` of lists: from a time on, and before a time. */
import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import type { OptionalSchema } from '../../server/base/schema.ts'
import { optional, timestamp } from './schema.ts'
import { parseTime } from './timestamps.ts'

/** @param what as in "Only messages of this time or later." */
export function timeFilters<const Name extends string>(
  name: Name,
  what: string,
): { readonly [K in `${Name}_after` | `${Name}_before`]: OptionalSchema<string> } {
  const filters = {
    [`${name}_after`]: optional(timestamp(`Only ${what} of this time or later.`)),
    [`${name}_before`]: optional(timestamp(`Only ${what} before this time.`)),
  }
  return filters as { [K in `${Name}_after` | `${Name}_before`]: OptionalSchema<string> }
}

/** The JMAP conditions. @param names of conditions by those of the query. The validation has checked the times. */
export function toTimes(
  filters: { readonly [name: string]: string | undefined },
  names: { readonly [name: string]: string },
): { readonly [condition: string]: string } {
  const times = Object.entries(names).flatMap(([name, condition]): [string, string][] => {
    const at = filters[name] === undefined ? null : parseTime(filters[name])
    return at === null ? [] : [[condition, formatUTCDate(at)]]
  })
  return Object.fromEntries(times)
}
