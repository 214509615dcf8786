/** A change of "this and future" instances ends a series and begins another (jscalendarbis 3.1.3, RFC 5545 3.2.13). */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject } from '../../protocol/json-object.ts'
import type { Comparisons } from './comparisons.ts'
import { uuidOf } from './ids.ts'
import { patched } from './instance.ts'
import { fromMs, toMs } from './local-time.ts'
import { diffEvents } from './patch-diff.ts'
import type { StartForm } from './read-times.ts'
import { countBefore, type Expansions, type Series } from './series-dates.ts'
import { withoutSeries } from './series-notes.ts'

/** A change from a recurrence id on. */
export interface Change {
  readonly key: string
  readonly event: MutableJsonObject
}

/**
 * If a change can begin a series of its own: one whose instances stay on their days. Otherwise the rule of the continuation is not that of
 * the series.
 */
export function maySplit(main: JsonObject, { key, event }: Change, expansions: Expansions): boolean {
  const rule = main['recurrenceRule']
  if (!isObject(rule) || event['timeZone'] !== main['timeZone']) return false
  const sameDay = String(event['start']).slice(0, 10) === key.slice(0, 10)
  if (!sameDay || ['byHour', 'byMinute', 'bySecond'].some((part) => rule[part] !== undefined)) return false
  const { count } = rule
  if (typeof count !== 'number') return true
  const before = expansions.spend(() => countBefore(seriesOf(main, rule), key))
  return before !== null && before > 0 && before < count
}

function seriesOf(event: JsonObject, rule: JsonObject): Series {
  const zone = event['timeZone']
  return { start: String(event['start']), timeZone: typeof zone === 'string' ? zone : null, rule }
}

/** The series, cut before each change, and the series of the changes. */
export function splitSeries(
  main: MutableJsonObject,
  form: StartForm,
  changes: readonly Change[],
  comparisons: Comparisons,
): JsonObject[] {
  const pieces: MutableJsonObject[] = [main]
  const first = String(main['uid'])
  let last = main
  for (const change of changes.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const uid = uuidOf(`${first} ${change.key}`)
    const next = continuation(last, change, uid, comparisons)
    relate(next, first, 'first')
    relate(last, uid, 'next')
    cut(last, change.key, form)
    pieces.push(next)
    last = next
  }
  return pieces
}

/** The series that begins with a change: its rule goes on, and so do later overrides. */
function continuation(
  last: MutableJsonObject,
  { key, event }: Change,
  uid: string,
  comparisons: Comparisons,
): MutableJsonObject {
  const shift = toMs(String(event['start'])) - toMs(key)
  const rule = last['recurrenceRule']
  const overrides = isObject(last['recurrenceOverrides']) ? last['recurrenceOverrides'] : {}
  const later = Object.entries(overrides).filter(([id]) => id > key)
  const next: MutableJsonObject = { ...event, uid }
  if (isObject(rule)) next['recurrenceRule'] = ruleFrom(last, rule, key, shift)
  const [from, to] = [withoutSeries(last), withoutSeries(next)]
  const moved = later.map(([id, patch]) => {
    const movedId = fromMs(toMs(id) + shift)
    if (!isObject(patch) || patch['excluded'] === true || Object.keys(patch).length === 0) return [movedId, patch]
    comparisons.spend(from, to)
    return [movedId, diffEvents({ ...to, start: movedId }, patched(from, id, patch))]
  })
  if (moved.length > 0) next['recurrenceOverrides'] = Object.fromEntries(moved)
  return next
}

/** The rule of a continuation: it ends with the series. */
function ruleFrom(last: JsonObject, rule: JsonObject, key: string, shift: number): JsonObject {
  const { until, count } = rule
  if (typeof until === 'string') return { ...rule, until: fromMs(toMs(until) + Math.max(shift, 0)) }
  if (typeof count !== 'number') return rule
  return { ...rule, count: Math.max(1, count - (countBefore(seriesOf(last, rule), key) ?? 0)) }
}

/** Ends a series before a recurrence id. */
function cut(event: MutableJsonObject, key: string, form: StartForm): void {
  const rule = event['recurrenceRule']
  if (isObject(rule)) {
    const { count: _, ...rest } = rule
    event['recurrenceRule'] = { ...rest, until: fromMs(toMs(key) - (form.date ? 86_400_000 : 1_000)) }
  }
  const overrides = event['recurrenceOverrides']
  if (!isObject(overrides)) return
  const before = Object.entries(overrides).filter(([id]) => id < key)
  if (before.length > 0) event['recurrenceOverrides'] = Object.fromEntries(before)
  else delete event['recurrenceOverrides']
}

function relate(event: MutableJsonObject, uid: string, relation: string): void {
  const related = isObject(event['relatedTo']) ? event['relatedTo'] : {}
  event['relatedTo'] = { ...related, [uid]: { '@type': 'Relation', relation: { [relation]: true } } }
}
