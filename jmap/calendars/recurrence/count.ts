/** Turns `count` into the time of the last occurrence, so that everything else may jump over time. */
import type { CompiledRule } from './compile-rule.ts'
import { hasNoDayParts } from './day-walk.ts'
import { DAY_SECONDS } from './local-time.ts'
import { eachOccurrence, visitSet } from './occurrences.ts'
import { eachPeriod } from './periods.ts'
import { unitSeconds } from './sub-daily.ts'
import type { Work } from './work.ts'

/** The local time of the nth occurrence; null: the rule ends before. */
export function nthOccurrence(rule: CompiledRule, n: number, work: Work): number | null {
  if (unitSeconds(rule) === null && rule.skip === 'omit' && rule.positions === null) return countSets(rule, n, work)
  let left = n
  let found: number | null = null
  eachOccurrence(rule, rule.start, rule.until, work, (local) => {
    left--
    if (left === 0) found = local
    return left > 0
  })
  return found
}

/** Counts the occurrences of a period at once, and periods that are all alike by division. */
function countSets(rule: CompiledRule, n: number, work: Work): number | null {
  const { times } = rule
  const repeat = repeatDays(rule)
  const lastDay = Math.floor(rule.until / DAY_SECONDS)
  let left = n
  let found: number | null = null
  function take(days: readonly number[]): boolean {
    visitSet(rule, days, rule.start, rule.until, work, (local) => {
      left--
      if (left === 0) found = local
      return left > 0
    })
    return found === null
  }
  eachPeriod(rule, Math.floor(rule.start / DAY_SECONDS), lastDay, work, (days) => {
    if (days.length === 0) return true
    if (days[0]! * DAY_SECONDS < rule.start || days[days.length - 1]! >= lastDay) return take(days)
    const size = days.length * times.count
    if (repeat !== null) {
      const whole = Math.ceil(left / size) - 1
      left -= whole * size
      take(days.map((day) => day + whole * repeat))
      return false
    }
    if (left <= size) return take(days)
    left -= size
    return true
  })
  return found
}

/** Days after which the same days recur, for rules whose periods are all alike; null: they are not. */
function repeatDays(rule: CompiledRule): number | null {
  if (rule.frequency === 'daily' && hasNoDayParts(rule)) return rule.interval
  return rule.frequency === 'weekly' && rule.months === null ? 7 * rule.interval : null
}
