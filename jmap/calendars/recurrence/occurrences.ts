/** Occurrences of one rule, as local seconds in order. Only its `count` is not regarded here (see count.ts). */
import type { CompiledRule } from './compile-rule.ts'
import { DAY_SECONDS } from './local-time.ts'
import { eachPeriod } from './periods.ts'
import { eachPlain, isPlain } from './plain-days.ts'
import { eachSubDaily, unitSeconds } from './sub-daily.ts'
import { keptIndices } from './times-of-day.ts'
import type { Work } from './work.ts'

type Visit = (local: number) => boolean

/** Visits the occurrences from `from` to `to`, both inclusive, until `visit` returns false. It jumps to `from`. */
export function eachOccurrence(rule: CompiledRule, from: number, to: number, work: Work, visit: Visit): void {
  const first = Math.max(from, rule.start)
  const last = Math.min(to, rule.until)
  if (first > last) return
  const unit = unitSeconds(rule)
  if (isPlain(rule)) eachPlain(rule, first, last, work, visit)
  else if (unit !== null) eachSubDaily(rule, unit, first, last, work, visit)
  else if (rule.skip !== 'omit') eachSkipping(rule, first, last, work, visit)
  else {
    eachPeriod(rule, Math.floor(first / DAY_SECONDS), Math.floor(last / DAY_SECONDS), work, (days) =>
      visitSet(rule, days, first, last, work, visit),
    )
  }
}

/** Visits what lies between `first` and `last` of the set of one period; false: nothing more is needed. */
export function visitSet(
  rule: CompiledRule,
  days: readonly number[],
  first: number,
  last: number,
  work: Work,
  visit: Visit,
): boolean {
  const { times } = rule
  if (rule.positions !== null) {
    const indices = keptIndices(rule.positions, days.length * times.count)
    work.spend(10 * rule.positions.length + 20)
    for (const index of indices) {
      const time = index % times.count
      const local = days[(index - time) / times.count]! * DAY_SECONDS + times.at(time)
      if (local > last) return false
      if (local >= first && !visit(local)) return false
    }
    return true
  }
  const single = times.count === 1 ? times.at(0) : null
  for (const day of days) {
    const midnight = day * DAY_SECONDS
    if (single !== null) {
      work.spend(2)
      const local = midnight + single
      if (local > last) return false
      if (local >= first && !visit(local)) return false
      continue
    }
    if (midnight + DAY_SECONDS <= first) continue
    if (midnight > last) return false
    for (let time = midnight >= first ? 0 : times.firstFrom(first - midnight); time < times.count; time++) {
      work.spend(2)
      const local = midnight + times.at(time)
      if (local > last) return false
      if (!visit(local)) return false
    }
  }
  return true
}

/**
 * With `skip`, a day may move into the next or the previous period, at most to its nearest day (RFC 7529 4.1). Occurrences wait until no
 * later period can have an earlier one, and those that a period has in common with the one before it count once (RFC 8984 4.3.3.1, 5).
 */
function eachSkipping(rule: CompiledRule, first: number, last: number, work: Work, visit: Visit): void {
  let waiting: number[] = []
  let isEnded = false
  function release(before: number): boolean {
    const ready = waiting.filter((local) => local < before)
    waiting = waiting.filter((local) => local >= before)
    work.spend(10 * (ready.length + waiting.length) + 50)
    for (const local of ready) {
      if (local < first) continue
      if (local > last || !visit(local)) return false
    }
    return true
  }
  eachPeriod(rule, Math.floor(first / DAY_SECONDS), Math.floor(last / DAY_SECONDS), work, (days, start) => {
    isEnded = !release((start - 1) * DAY_SECONDS)
    if (isEnded) return false
    visitSet(rule, days, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, work, (local) => {
      waiting.push(local)
      return true
    })
    waiting = [...new Set(waiting)].sort((a, b) => a - b)
    return true
  })
  if (!isEnded) release(Number.POSITIVE_INFINITY)
}

/** Whether the rule produces a time. */
export function occursAt(rule: CompiledRule, local: number, work: Work): boolean {
  let occurs = false
  eachOccurrence(rule, local, local, work, () => {
    occurs = true
    return false
  })
  return occurs
}
