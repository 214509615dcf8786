/** Dates that a rule produces, for what iCalendar says by rules and JSCalendar by dates. */
import { ICALENDAR_MAX_EXPANSIONS } from '../../../server/base/icalendar-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { RecurrenceRule } from '../jscalendar/recurrence-rule.ts'
import { expand, extent, recurrenceId } from '../recurrence/expand.ts'
import { parseLocal } from '../recurrence/local-time.ts'
import { occursAt } from '../recurrence/occurrences.ts'
import { type Prepared, prepare } from '../recurrence/prepare.ts'
import { RecurrenceError, Work } from '../recurrence/work.ts'

/** A series without its overrides. */
export interface Series {
  readonly start: string
  readonly timeZone: string | null
  readonly rule: JsonObject
}

/** Before all events (the year 5). */
const BEGINNING = -62_000_000_000_000

/** Expansions that one text may cost: a rule that is made for it takes 10 ms. */
export class Expansions {
  #left = ICALENDAR_MAX_EXPANSIONS

  /** What the work gives; null: there were too many. */
  spend<T>(work: () => T | null): T | null {
    return this.#left-- > 0 ? work() : null
  }
}

/** If the rule produces a recurrence id; of a rule that cannot be expanded it is assumed. */
export function producer(series: Series): (recurrenceId: string) => boolean {
  const prepared = preparedOf(series)
  if (prepared === null) return () => true
  const work = new Work()
  return (id) => {
    const local = parseLocal(id)
    if (local === null || local === prepared.start) return true
    return attempt(() => prepared.rules.some((rule) => occursAt(rule, local, work))) ?? true
  }
}

/** The recurrence ids that a rule produces itself; null: they have no end, or are more than may be expanded. */
export function datesOf(series: Series, bound: Series | null): string[] | null {
  const prepared = preparedOf(series)
  const end = (prepared && endOf(prepared)) ?? endOf(bound && preparedOf(bound))
  if (prepared === null || end === null) return null
  const instances = attempt(() => expand(prepared, { start: BEGINNING, end: end + 1 }))
  return instances?.map(recurrenceId) ?? null
}

/** Instances before a recurrence id, the start included; null: too many to be counted. */
export function countBefore(series: Series, id: string): number | null {
  const prepared = attempt(() => prepare(ruleSet(series)))
  const until = parseLocal(id)
  if (prepared === null || until === null) return null
  // A day more in any zone; what is too late is left out.
  const instances = attempt(() => expand(prepared, { start: BEGINNING, end: (until + 86_400) * 1_000 }))
  return instances?.filter((instance) => instance.id < until).length ?? null
}

function endOf(prepared: Prepared | null): number | null {
  return prepared === null ? null : (attempt(() => extent(prepared))?.end ?? null)
}

function ruleSet({ start, timeZone, rule }: Series) {
  // The rule was read by recurrence-rule.ts, or checked with its event.
  return { start, timeZone, recurrenceRule: rule as unknown as RecurrenceRule }
}

function preparedOf(series: Series): Prepared | null {
  return attempt(() => prepare(ruleSet(series), { startOutsideRules: 'ignored' }))
}

/** null: the rule costs too much, or cannot be interpreted. */
function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof RecurrenceError) return null
    throw error
  }
}
