/** What a series costs when it is stored and first shown. */
import { expand, type Instance, nextInstance } from './expand.ts'
import { parseLocal } from './local-time.ts'
import { type Prepared, prepare, type RuleSet } from './prepare.ts'
import { RecurrenceError, Work } from './work.ts'

const YEAR_MS = 366 * 86_400_000
/** After it, the start is over in every zone. */
const START_MS = 2 * 86_400_000

/**
 * Expands the year after the start of a series. If nothing recurs there, as with 29 February, it expands the year in which it does first.
 * @throws RecurrenceError as it is thrown to whoever asks for such a year
 */
export function tryOut(set: RuleSet, work?: Work): void {
  const options = work === undefined ? {} : { work }
  const start = (parseLocal(set.start) ?? 0) * 1_000
  const prepared = prepare(set, options)
  expand(prepared, { start, end: start + YEAR_MS }, options)
  const next = firstAfter(prepared, start + START_MS, options)
  if (next !== null && next.start > start + YEAR_MS)
    expand(prepared, { start: next.start, end: next.start + YEAR_MS }, options)
}

/** null: none, or it costs too much to find. Such a rule hardly happens too often. */
function firstAfter(prepared: Prepared, after: number, options: { readonly work?: Work }): Instance | null {
  try {
    return nextInstance({ ...prepared, replacements: [] }, after, options)
  } catch (error) {
    if (error instanceof RecurrenceError) return null
    throw error
  }
}

/** Steps of about 10 ns to try a series out; at most what one call may cost. */
export function costOf(set: RuleSet): number {
  const work = new Work()
  try {
    tryOut(set, work)
  } catch (error) {
    // Whoever stores the series gets the same error.
    if (!(error instanceof RecurrenceError)) throw error
  }
  return work.spent
}
