/** What a series costs when it is stored and first shown. */
import { expand } from './expand.ts'
import { parseLocal } from './local-time.ts'
import { prepare, type RuleSet } from './prepare.ts'
import { RecurrenceError, Work } from './work.ts'

const YEAR_MS = 366 * 86_400_000

/** Steps of about 10 ns to prepare a series and to expand its first year; at most what one call may cost. */
export function costOf(set: RuleSet): number {
  const work = new Work()
  const start = (parseLocal(set.start) ?? 0) * 1_000
  try {
    expand(prepare(set, { work }), { start, end: start + YEAR_MS }, { work })
  } catch (error) {
    // Whoever stores the series gets the same error.
    if (!(error instanceof RecurrenceError)) throw error
  }
  return work.spent
}
