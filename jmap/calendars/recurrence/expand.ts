/**
 * The port of recurrence: which instances of an event overlap a time range, which comes next, and between which times all of them are.
 * Pure. A call takes a bounded number of steps and returns a bounded number of instances; beyond that it throws a RecurrenceError.
 */
import { RECURRENCE_INSTANCES_MAX } from '../../../server/base/calendar-limits.ts'
import type { Duration } from '../jscalendar/date-times.ts'
import { type Instance, InstanceColumns } from './instance-columns.ts'
import { DAY_SECONDS, formatLocal, LOCAL_MAX } from './local-time.ts'
import { eachOccurrence, occursAt } from './occurrences.ts'
import type { Prepared } from './prepare.ts'
import { RecurrenceError, tooManyInstances, Work } from './work.ts'
import { type ZoneOffsets, zoneOffsets } from './zone-offsets.ts'

export type { Instance } from './instance-columns.ts'

/** Milliseconds since 1970, UTC: from `start`, inclusive, to `end`, exclusive. */
export type TimeRange = { readonly start: number; readonly end: number }

export type ExpandOptions = {
  /** The IANA zone in which floating events are seen. Absent: Etc/UTC. */
  readonly floatingZone?: string
  /** At most RECURRENCE_INSTANCES_MAX. */
  readonly maxInstances?: number
  /** Steps that several calls share, such as those of one request. Absent: RECURRENCE_STEPS_MAX for the call. */
  readonly work?: Work
}

/** The LocalDateTime of an instance (RFC 8984 4.3.1). */
export function recurrenceId({ id }: Instance): string {
  return formatLocal(id)
}

/**
 * The instances that overlap a range, by their start. An instance without duration overlaps if it begins in the range. An instance that
 * an override moves is taken at its new time.
 */
export function expand(event: Prepared, range: TimeRange, options: ExpandOptions = {}): Instance[] {
  const found = new InstanceColumns()
  collect(event, range, options, found)
  return found.inOrder()
}

/** The instances of a range as far as they can be calculated: those of overrides, then the earliest ones. */
export interface Part {
  readonly instances: readonly Instance[]
  /** null: these are all. */
  readonly error: RecurrenceError | null
}

/** The same as `expand`, but with what was calculated until it cost too much. */
export function expandPart(event: Prepared, range: TimeRange, options: ExpandOptions = {}): Part {
  const found = new InstanceColumns()
  const error = expandInto(found, event, range, options)
  return { instances: found.inOrder(), error }
}

/** The same into columns that are empty, with the instances of a rule in the order of their recurrence ids. @returns null: these are all */
export function expandInto(
  found: InstanceColumns,
  event: Prepared,
  range: TimeRange,
  options: ExpandOptions,
): RecurrenceError | null {
  try {
    collect(event, range, options, found)
    return null
  } catch (error) {
    if (error instanceof RecurrenceError) return error
    throw error
  }
}

function collect(event: Prepared, range: TimeRange, options: ExpandOptions, found: InstanceColumns): void {
  const work = options.work ?? new Work()
  const max = Math.min(options.maxInstances ?? RECURRENCE_INSTANCES_MAX, RECURRENCE_INSTANCES_MAX)
  const own = event.zone ?? zoneOf(null, options)
  const add = (id: number, local: number, duration: Duration, zone: ZoneOffsets) => {
    const start = zone.toUtc(local, work) * 1_000
    const end = endOf(start, local, duration, zone, work)
    if (!overlaps(start, end, range)) return
    if (found.length >= max) throw tooManyInstances(max)
    found.add(id, start, end)
  }
  for (const { id, start, duration, timeZone } of event.replacements) {
    work.spend(20)
    add(id, start, duration, zoneOf(timeZone, options))
  }
  eachId(event, localRange(range, event.duration, own, work), work, (id) => {
    work.spend(15)
    add(id, id, event.duration, own)
    return true
  })
}

/** The first instance that begins after a time (milliseconds since 1970, UTC); null: none. */
export function nextInstance(event: Prepared, after: number, options: ExpandOptions = {}): Instance | null {
  const work = options.work ?? new Work()
  const zone = event.zone ?? zoneOf(null, options)
  let next: Instance | null = null
  const offer = (instance: Instance) => {
    if (instance.start > after && (next === null || instance.start < next.start)) next = instance
  }
  for (const { id, start, duration, timeZone } of event.replacements) {
    work.spend(20)
    offer(instanceAt(id, start, duration, zoneOf(timeZone, options), work))
  }
  const from = zone.localBounds(Math.floor(after / 1_000), work).least
  if (event.hasStart && !event.taken.has(event.start) && !isExcluded(event, event.start, work)) {
    offer(instanceAt(event.start, event.start, event.duration, zone, work))
  }
  for (const rule of event.rules) {
    let last = Number.POSITIVE_INFINITY
    eachOccurrence(rule, from, LOCAL_MAX, work, (id) => {
      work.spend(10)
      if (event.taken.has(id) || isExcluded(event, id, work)) return true
      const instance = instanceAt(id, id, event.duration, zone, work)
      offer(instance)
      // A time in a gap of the clock is moved behind later ones, up to the end of the gap and as much.
      const utc = instance.start / 1_000
      if (instance.start > after) last = Math.min(last, utc + zone.offsetAt(utc, work))
      return id < last
    })
  }
  return next
}

/**
 * Times between which all instances are (milliseconds since 1970, UTC); `end` null: the event recurs without end. The end may be later
 * than that of the last instance.
 */
export function extent(event: Prepared, options: ExpandOptions = {}): { start: number; end: number | null } {
  const work = options.work ?? new Work()
  const zone = event.zone ?? zoneOf(null, options)
  let { start, end } = instanceAt(event.start, event.start, event.duration, zone, work)
  for (const moved of event.replacements) {
    work.spend(20)
    const instance = instanceAt(moved.id, moved.start, moved.duration, zoneOf(moved.timeZone, options), work)
    start = Math.min(start, instance.start)
    end = Math.max(end, instance.end)
  }
  const until = Math.max(...event.rules.map((rule) => rule.until), Number.NEGATIVE_INFINITY)
  if (until >= ENDLESS) return { start, end: null }
  if (until > event.start) end = Math.max(end, instanceAt(until, until, event.duration, zone, work).end)
  return { start, end }
}

/** Rules of other calendars end with the years that are known of them (other-calendars.ts): that is no end of the event. */
const ENDLESS = Date.UTC(2_190, 0) / 1_000

function zoneOf(name: string | null, { floatingZone = 'Etc/UTC' }: ExpandOptions): ZoneOffsets {
  return zoneOffsets(name ?? floatingZone)
}

/** Whether a time overlaps a range, all in milliseconds. One without duration overlaps if it begins in the range. */
export function overlaps(start: number, end: number, range: TimeRange): boolean {
  if (start >= range.end) return false
  return end > range.start || (end === start && start === range.start)
}

interface LocalRange {
  readonly first: number
  readonly last: number
}

/** @returns true */
type VisitId = (id: number) => true

/** The start, and the rules' recurrence ids in a range of local seconds, without those that are excluded or have an override. */
function eachId(event: Prepared, range: LocalRange, work: Work, visit: VisitId): void {
  const { first, last } = range
  const { rules, excludedRules, taken, start } = event
  const hasStart = event.hasStart && start >= first && start <= last && !taken.has(start)
  if (rules.length > 1 || excludedRules.length > 0) {
    for (const id of idsOfAll(event, hasStart, range, work)) visit(id)
    return
  }
  if (hasStart) visit(start)
  const [rule] = rules
  if (rule === undefined) return
  if (!hasStart && taken.size === 0) {
    eachOccurrence(rule, first, last, work, visit)
    return
  }
  eachOccurrence(rule, first, last, work, (id) => {
    work.spend(5)
    return taken.has(id) || (hasStart && id === start) ? true : visit(id)
  })
}

/** What several rules produce is sorted out first. */
function idsOfAll(
  { rules, excludedRules, taken, start }: Prepared,
  hasStart: boolean,
  { first, last }: LocalRange,
  work: Work,
): Set<number> {
  const ids = new Set<number>()
  if (hasStart) ids.add(start)
  for (const rule of rules) {
    eachOccurrence(rule, first, last, work, (id) => {
      work.spend(5)
      if (!taken.has(id)) ids.add(id)
      // More cannot be returned; a few may lie outside of the range.
      if (ids.size > 2 * RECURRENCE_INSTANCES_MAX * rules.length) throw tooManyInstances()
      return true
    })
  }
  for (const rule of excludedRules) {
    eachOccurrence(rule, first, last, work, (id) => {
      ids.delete(id)
      return true
    })
  }
  return ids
}

function isExcluded(event: Prepared, id: number, work: Work): boolean {
  return event.excludedRules.some((rule) => occursAt(rule, id, work))
}

function instanceAt(id: number, local: number, duration: Duration, zone: ZoneOffsets, work: Work): Instance {
  const start = zone.toUtc(local, work) * 1_000
  return { id, start, end: endOf(start, local, duration, zone, work) }
}

/** @param start milliseconds of `local` */
function endOf(start: number, local: number, { days, ms }: Duration, zone: ZoneOffsets, work: Work): number {
  return (days === 0 ? start : zone.toUtc(local + days * DAY_SECONDS, work) * 1_000) + ms
}

/** Local times of which an instance may overlap a range. */
function localRange(range: TimeRange, duration: Duration, zone: ZoneOffsets, work: Work): LocalRange {
  const from = zone.localBounds(Math.floor((range.start - duration.ms) / 1_000), work).least
  return {
    first: from - duration.days * DAY_SECONDS,
    last: zone.localBounds(Math.ceil(range.end / 1_000), work).most,
  }
}
