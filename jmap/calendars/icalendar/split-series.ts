/**
 * A change of "this and future" instances ends a series and begins another (jscalendarbis 3.1.3, RFC 5545 3.2.13): in files that are
 * imported, and in messages that arrive.
 */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject } from '../../protocol/json-object.ts'
import type { Comparisons } from './comparisons.ts'
import { patched } from './instance.ts'
import { fromMs, toMs } from './local-time.ts'
import { movedRule } from './moved-rule.ts'
import { diffEvents } from './patch-diff.ts'
import { countBefore, type Expansions, type Series } from './series-dates.ts'
import { withoutSeries } from './series-notes.ts'
import { firstIdOf, idInPiece, pieceUid, relatedUids, seriesUidOf, withFirstId } from './this-and-future.ts'

/** A change from a recurrence id on. */
export interface Change {
  readonly key: string
  /** The instance as the change makes it. */
  readonly event: JsonObject
}

/** If the rule of a series can go on from a change. @param change its key is that of an instance of the series */
export function maySplit(series: JsonObject, { key, event }: Change, expansions: Expansions): boolean {
  const rule = series['recurrenceRule']
  if (!isObject(rule) || event['timeZone'] !== series['timeZone']) return false
  if (movedRule(rule, key, String(event['start'])) === null) return false
  const { count } = rule
  if (typeof count !== 'number') return true
  const before = expansions.spend(() => countBefore(seriesOf(series, rule), key))
  return before !== null && before < count
}

function seriesOf(event: JsonObject, rule: JsonObject): Series {
  const zone = event['timeZone']
  return { start: String(event['start']), timeZone: typeof zone === 'string' ? zone : null, rule }
}

/** The series, cut before each change, and the series of the changes. Keys are those of the series. */
export function splitSeries(
  main: JsonObject,
  isDate: boolean,
  changes: readonly Change[],
  comparisons: Comparisons,
): JsonObject[] {
  const pieces: JsonObject[] = []
  let last = main
  for (const change of changes.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const [head, tail] = splitAt(last, isDate, change, comparisons)
    pieces.push(head)
    last = tail
  }
  return [...pieces, last]
}

/** A piece of a series, cut before a change, and the piece that begins with it. The key is that of the series. */
export function splitAt(
  piece: JsonObject,
  isDate: boolean,
  { key, event }: Change,
  comparisons: Comparisons,
): [head: JsonObject, tail: JsonObject] {
  const first = seriesUidOf(piece)
  const uid = pieceUid(first, key)
  const at = idInPiece(piece, key)
  const relatedTo = {
    ...related(event, []),
    ...relations('next', relatedUids(piece, 'next')),
    ...relations('first', [first]),
  }
  const tail = { ...goneOn(piece, { key: at, event }, comparisons), uid, relatedTo }
  const head = { ...piece, relatedTo: { ...related(piece, relatedUids(piece, 'next')), ...relations('next', [uid]) } }
  return [cut(head, at, isDate), withFirstId(tail, key)]
}

/** A piece that a change of its first instance and all that follow makes another. */
export function changedFromStart(piece: JsonObject, event: JsonObject, comparisons: Comparisons): JsonObject {
  const key = String(piece['start'])
  const relatedTo = { ...related(event, []), ...related(piece, []) }
  const changed = { ...goneOn(piece, { key, event }, comparisons), uid: String(piece['uid']) }
  const whole = Object.keys(relatedTo).length > 0 ? { ...changed, relatedTo } : changed
  return withFirstId(whole, firstIdOf(piece) ?? key)
}

/** The series that begins with a change: the rule of the piece goes on, and so do later overrides. */
function goneOn(piece: JsonObject, { key, event }: Change, comparisons: Comparisons): MutableJsonObject {
  const shift = toMs(String(event['start'])) - toMs(key)
  const rule = piece['recurrenceRule']
  const overrides = isObject(piece['recurrenceOverrides']) ? piece['recurrenceOverrides'] : {}
  const later = Object.entries(overrides).filter(([id]) => id > key)
  const next: MutableJsonObject = { ...event }
  if (isObject(rule)) next['recurrenceRule'] = ruleFrom(piece, rule, key, shift)
  const [from, to] = [withFirstId(withoutSeries(piece), null), withFirstId(withoutSeries(next), null)]
  const moved = later.map(([id, patch]): [string, Json] => {
    const movedId = fromMs(toMs(id) + shift)
    if (!isObject(patch) || patch['excluded'] === true || Object.keys(patch).length === 0) return [movedId, patch]
    comparisons.spend(from, to)
    return [movedId, diffEvents({ ...to, start: movedId }, patched(from, id, patch))]
  })
  if (moved.length > 0) next['recurrenceOverrides'] = Object.fromEntries(moved)
  return next
}

/** The rule of a continuation: it ends with the series. */
function ruleFrom(piece: JsonObject, rule: JsonObject, key: string, shift: number): JsonObject {
  const moved = movedRule(rule, key, fromMs(toMs(key) + shift)) ?? rule
  const { until, count } = moved
  if (typeof until === 'string') return { ...moved, until: fromMs(toMs(until) + shift) }
  if (typeof count !== 'number') return moved
  return { ...moved, count: Math.max(1, count - (countBefore(seriesOf(piece, rule), key) ?? 0)) }
}

/** Ends a series before a recurrence id. */
export function cut(event: JsonObject, key: string, isDate: boolean): JsonObject {
  const { recurrenceRule: rule, recurrenceOverrides: overrides, ...rest } = event
  const before = Object.entries(isObject(overrides) ? overrides : {}).filter(([id]) => id < key)
  const ended = isObject(rule) ? endedRule(rule, key, isDate) : rule
  return {
    ...rest,
    ...(ended !== undefined && { recurrenceRule: ended }),
    ...(before.length > 0 && { recurrenceOverrides: Object.fromEntries(before) }),
  }
}

function endedRule({ count: _count, ...rule }: JsonObject, key: string, isDate: boolean): JsonObject {
  return { ...rule, until: fromMs(toMs(key) - (isDate ? 86_400_000 : 1_000)) }
}

/** What an event is related to, without some. */
function related({ relatedTo }: JsonObject, without: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(isObject(relatedTo) ? relatedTo : {}).filter(([uid]) => !without.includes(uid)),
  )
}

function relations(relation: 'first' | 'next', uids: readonly string[]): JsonObject {
  return Object.fromEntries(uids.map((uid) => [uid, { '@type': 'Relation', relation: { [relation]: true } }]))
}
