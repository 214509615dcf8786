/** Components of one UID to one event with overrides, or to instances that stand alone (the conversion draft, 2.1.2). */

import { ICALENDAR_MAX_DATES, ICALENDAR_MAX_SPLITS } from '../../../server/base/icalendar-limits.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject, quote, setOwn } from '../../protocol/json-object.ts'
import { diffEvents } from './patch-diff.ts'
import type { ReadEvent } from './read-event.ts'
import type { CalendarScope } from './read-scope.ts'
import { recurrenceKey, setRecurrenceId } from './read-times.ts'
import { producer } from './series-dates.ts'
import { noteRange, noteRdates, withoutSeries } from './series-notes.ts'
import { type Change, maySplit, splitSeries } from './split-series.ts'

export type SeriesScope = Pick<CalendarScope, 'faults' | 'expansions' | 'comparisons'>

/** @param split if an instance with RANGE=THISANDFUTURE ends the series and begins another, unless it stands alone */
export function joinSeries(parts: readonly ReadEvent[], scope: SeriesScope, split: boolean): JsonObject[] {
  const mains = parts.filter(({ instance }) => instance === null)
  const instances = parts.filter(({ instance }) => instance !== null)
  const main = mains.reduce<ReadEvent | null>(
    (best, part) => (best === null || isNewer(part.event, best.event) ? part : best),
    null,
  )
  for (const other of mains) {
    if (other === main) continue
    const uid = String(other.event['uid'])
    scope.faults.part(other.line, `Another VEVENT has the same UID '${quote(uid)}'.`, uid)
  }
  if (main === null) return aloneEach(instances, scope)
  const { form } = main
  if (form === null) {
    const [first] = instances
    if (first !== undefined) scope.faults.component(first.line, 'An instance belongs to an event without DTSTART.')
    return [main.event]
  }
  const changes: Change[] = []
  const newest = new Map<string, ReadEvent>()
  for (const part of instances) {
    const key = part.instance === null ? form.start : recurrenceKey(part.instance.time, form, part.instance.isDate)
    const change = { key, event: aligned(main, part, key) }
    const maySplitMore = split && changes.length < ICALENDAR_MAX_SPLITS
    if (
      part.instance?.future === true &&
      maySplitMore &&
      key > form.start &&
      maySplit(main.event, change, scope.expansions)
    )
      changes.push(change)
    else if (!newest.has(key) || isNewer(part.event, newest.get(key)!.event)) newest.set(key, part)
  }
  if (newest.size > ICALENDAR_MAX_DATES) {
    const text = `The event has more than ${ICALENDAR_MAX_DATES} instances of its own.`
    scope.faults.part(main.line, text, String(main.event['uid']))
    return []
  }
  addOverrides(main, newest, scope)
  return splitSeries(main.event, form.date, changes, scope.comparisons)
}

/** RFC 5546 2.1.5: the higher SEQUENCE, then the later DTSTAMP; of equals the one that stands last. */
export function isNewer(a: JsonObject, b: JsonObject): boolean {
  const number = (json: Json | undefined) => (typeof json === 'number' ? json : 0)
  const bySequence = number(a['sequence']) - number(b['sequence'])
  return bySequence !== 0 ? bySequence > 0 : String(a['updated']) >= String(b['updated'])
}

/** The newest component of each instance. */
function aloneEach(instances: readonly ReadEvent[], scope: SeriesScope): JsonObject[] {
  const newest = new Map<string, ReadEvent>()
  for (const part of instances) {
    const key = `${part.instance?.time.local} ${part.instance?.time.zone}`
    const known = newest.get(key)
    if (known !== undefined) scope.faults.component(part.line, 'The instance stands twice; the newer one counts.')
    if (known === undefined || isNewer(part.event, known.event)) newest.set(key, part)
  }
  return [...newest.values()].map((part) => alone(part, scope))
}

/** An instance without its series. */
function alone({ event: read, instance, line }: ReadEvent, scope: SeriesScope): JsonObject {
  if (instance === null) return read
  const event = { ...withoutSeries(read) }
  if (event['recurrenceRule'] !== undefined || event['recurrenceOverrides'] !== undefined) {
    delete event['recurrenceRule']
    delete event['recurrenceOverrides']
    scope.faults.property(line, 'The rule and the dates of a single instance have no effect.')
  }
  setRecurrenceId(event, instance.time)
  if (instance.future) noteRange(event)
  return event
}

/** The event of an instance, with what it takes from its series if it says nothing. */
function aligned(main: ReadEvent, part: ReadEvent, key: string): MutableJsonObject {
  const { event } = part
  if (part.inherits) {
    event['start'] = key
    delete event['timeZone']
    delete event['showWithoutTime']
    if (part.form?.date !== main.form?.date) delete event['duration']
    for (const name of ['timeZone', 'duration', 'showWithoutTime']) inherit(main.event, event, name)
  }
  return event
}

function inherit(from: JsonObject, to: MutableJsonObject, name: string): void {
  const value = from[name]
  if (value !== undefined && to[name] === undefined) to[name] = value
}

function addOverrides(main: ReadEvent, parts: ReadonlyMap<string, ReadEvent>, scope: SeriesScope): void {
  if (parts.size === 0) return
  const base = withoutSeries(main.event)
  const known = main.event['recurrenceOverrides']
  const overrides: MutableJsonObject = isObject(known) ? known : {}
  const added: string[] = []
  for (const [key, { event, instance, line }] of parts) {
    if (instance?.future === true) {
      noteRange(event)
      scope.faults.property(line, 'RANGE=THISANDFUTURE is kept, but only this instance changes.')
    }
    const before = Object.hasOwn(overrides, key) ? overrides[key] : undefined
    // A writer adds RDATE for an instance that no rule produces.
    const isAdded = isObject(before) && before['excluded'] !== true
    if (isAdded && isProduced(main, key, scope)) added.push(key)
    scope.comparisons.spend(base, event)
    setOwn(overrides, key, diffEvents({ ...base, start: key }, event))
  }
  main.event['recurrenceOverrides'] = overrides
  noteRdates(main.event, added)
}

/** If the rule produces a date of RDATE besides. */
function isProduced({ event, form }: ReadEvent, key: string, { expansions }: SeriesScope): boolean {
  const rule = event['recurrenceRule']
  if (form === null || !isObject(rule)) return false
  return expansions.spend(() => producer({ start: form.start, timeZone: form.zone, rule })(key)) ?? true
}
