/** Rules that recur once a day, on every day or on some of a week: most of what people plan. They need no calendar and no lists of days. */
import type { CompiledRule } from './compile-rule.ts'
import { alignUp, hasNoDayParts } from './day-walk.ts'
import { DAY_SECONDS, weekdayOf } from './local-time.ts'
import type { Work } from './work.ts'

const EVERY_DAY = [0]

export function isPlain(rule: CompiledRule): boolean {
  if (rule.positions !== null || rule.times.count !== 1) return false
  if (rule.frequency === 'weekly') return rule.months === null && rule.weekDays.length > 0
  return rule.frequency === 'daily' && hasNoDayParts(rule)
}

/** Visits what lies between `first` and `last` (local seconds, inclusive) until `visit` returns false. @param rule a plain one */
export function eachPlain(
  rule: CompiledRule,
  first: number,
  last: number,
  work: Work,
  visit: (local: number) => boolean,
): void {
  const isWeekly = rule.frequency === 'weekly'
  const startDay = Math.floor(rule.start / DAY_SECONDS)
  const origin = isWeekly ? startDay - ((weekdayOf(startDay) - rule.firstWeekday + 7) % 7) : startDay
  const step = rule.interval * (isWeekly ? 7 : 1)
  const days = isWeekly ? rule.weekDays : EVERY_DAY
  const time = rule.times.at(0)
  const from = Math.floor(first / DAY_SECONDS) - (isWeekly ? 6 : 0)
  for (let period = alignUp(from, origin, step); ; period += step) {
    // Also where no day of the period is visited.
    work.spend(10)
    for (const day of days) {
      work.spend(2)
      const local = (period + day) * DAY_SECONDS + time
      if (local > last) return
      if (local >= first && !visit(local)) return
    }
  }
}
