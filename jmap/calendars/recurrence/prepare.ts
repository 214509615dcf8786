/** Turns the recurrence of an event into numbers, once for each revision of the event. */
import { RECURRENCE_OVERRIDES_MAX } from '../../../server/base/calendar-limits.ts'
import { type Duration, parseDuration } from '../jscalendar/date-times.ts'
import type { RecurrenceRule } from '../jscalendar/recurrence-rule.ts'
import { type CompiledRule, compileRule } from './compile-rule.ts'
import { nthOccurrence } from './count.ts'
import { parseLocal } from './local-time.ts'
import { occursAt } from './occurrences.ts'
import { RecurrenceError, Work } from './work.ts'
import { isTimeZone, type ZoneOffsets, zoneOffsets } from './zone-offsets.ts'

/**
 * What of an Event decides when it happens. Fits Events of jscalendarbis, which have one rule, and of RFC 8984 4.3, which have several
 * and rules that exclude.
 */
export type RuleSet = {
  /** LocalDateTime in `timeZone`. It is the first instance, also if the rules do not produce it (RFC 8984 4.3.3.1). */
  readonly start: string
  /** Absent: PT0S. */
  readonly duration?: string
  /** An IANA name; null or absent: floating. */
  readonly timeZone?: string | null
  readonly recurrenceRule?: RecurrenceRule
  readonly recurrenceRules?: readonly RecurrenceRule[]
  readonly excludedRecurrenceRules?: readonly RecurrenceRule[]
  /** By recurrence id. Only `excluded`, `start`, `duration` and `timeZone` of a patch are read. */
  readonly recurrenceOverrides?: { readonly [recurrenceId: string]: { readonly [path: string]: unknown } }
}

export type PrepareOptions = {
  /**
   * `ignored`: a start that no rule produces is no instance and is not counted, as many readers of iCalendar do, where it is undefined
   * (RFC 5545 3.8.5.3). Absent: `first`.
   */
  readonly startOutsideRules?: 'first' | 'ignored'
  /** Absent: what one call may cost. */
  readonly work?: Work
}

/** An instance that has an override. */
export type Replacement = {
  readonly id: number
  readonly start: number
  readonly duration: Duration
  readonly timeZone: string | null
}

export type Prepared = {
  /** Local seconds (see local-time.ts). */
  readonly start: number
  readonly duration: Duration
  readonly timeZone: string | null
  /** Of `timeZone`. */
  readonly zone: ZoneOffsets | null
  /** The start is an instance by itself. */
  readonly hasStart: boolean
  readonly rules: readonly CompiledRule[]
  readonly excludedRules: readonly CompiledRule[]
  /** Recurrence ids, as local seconds, that the rules may not produce: excluded ones and those with an override. */
  readonly taken: ReadonlySet<number>
  readonly replacements: readonly Replacement[]
  /** About what it takes in memory. */
  readonly octets: number
}

/** Throws a RecurrenceError that says which property cannot be used, or that the rule costs too much. */
export function prepare(set: RuleSet, options: PrepareOptions = {}): Prepared {
  const work = options.work ?? new Work()
  const start = localOf(set.start, 'start')
  const isFirst = (options.startOutsideRules ?? 'first') === 'first'
  const rules = [...(set.recurrenceRule === undefined ? [] : [set.recurrenceRule]), ...(set.recurrenceRules ?? [])]
  const excluded = set.excludedRecurrenceRules ?? []
  const own = { timeZone: zoneOf(set.timeZone ?? null), duration: durationOf(set.duration ?? 'PT0S') }
  const overrides = overridesOf(set, own)
  const compiled = rules.flatMap((rule) => bounded(rule, start, isFirst, work))
  const compiledExcluded = excluded.flatMap((rule) => bounded(rule, start, false, work))
  return {
    start,
    ...own,
    zone: own.timeZone === null ? null : zoneOffsets(own.timeZone),
    hasStart: isFirst || rules.length === 0,
    rules: compiled,
    excludedRules: compiledExcluded,
    ...overrides,
    octets: octetsOf([...compiled, ...compiledExcluded], overrides.taken.size),
  }
}

const EVENT_OCTETS = 600
const RULE_OCTETS = 600
const OVERRIDE_OCTETS = 200
const ENTRY_OCTETS = 16

function octetsOf(rules: readonly CompiledRule[], overrides: number): number {
  const entries = rules
    .flatMap((rule) => [...Object.values(rule), rule.weekdays?.counted])
    .reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0)
  return EVENT_OCTETS + RULE_OCTETS * rules.length + OVERRIDE_OCTETS * overrides + ENTRY_OCTETS * entries
}

/** A rule with its count as the time of its last occurrence; none if the start alone is counted. */
function bounded(rule: RecurrenceRule, start: number, isFirst: boolean, work: Work): CompiledRule[] {
  const compiled = compileRule(rule, start, work)
  if (rule.count === undefined) return [compiled]
  // RFC 8984 4.3.3.1: the start counts, also if the rule does not produce it.
  const left = isFirst && !occursAt(compiled, start, work) ? rule.count - 1 : rule.count
  if (left === 0) return []
  const last = nthOccurrence(compiled, left, work)
  return [last === null ? compiled : { ...compiled, until: last }]
}

function overridesOf(
  { recurrenceOverrides = {} }: RuleSet,
  own: { readonly timeZone: string | null; readonly duration: Duration },
): Pick<Prepared, 'taken' | 'replacements'> {
  const ids = Object.keys(recurrenceOverrides)
  if (ids.length > RECURRENCE_OVERRIDES_MAX) {
    throw new RecurrenceError(
      'tooManyInstances',
      `recurrenceOverrides: has more than ${RECURRENCE_OVERRIDES_MAX} entries`,
    )
  }
  const taken = new Set<number>()
  const replacements: Replacement[] = []
  for (const key of ids) {
    const patch = recurrenceOverrides[key]!
    const id = localOf(key, 'recurrenceOverrides')
    taken.add(id)
    if (patch['excluded'] === true) continue
    const { start, duration, timeZone } = patch
    replacements.push({
      id,
      start: typeof start === 'string' ? localOf(start, `recurrenceOverrides/${key}/start`) : id,
      duration: typeof duration === 'string' ? durationOf(duration) : own.duration,
      timeZone: timeZone === undefined ? own.timeZone : zoneOf(timeZone),
    })
  }
  return { taken, replacements }
}

function localOf(text: string, property: string): number {
  const local = parseLocal(text)
  if (local === null) throw new RecurrenceError('invalidRule', `${property}: "${text}" is no LocalDateTime`)
  return local
}

function durationOf(text: string): Duration {
  const duration = parseDuration(text)
  if (duration === null)
    throw new RecurrenceError('invalidRule', `duration: "${text}" is no Duration that an event may have`)
  return duration
}

function zoneOf(name: unknown): string | null {
  if (name === null) return null
  if (typeof name === 'string' && isTimeZone(name)) return name
  throw new RecurrenceError('unknownTimeZone', `timeZone: "${String(name)}" is no name of the IANA time zone database`)
}
