/** A change of "this and future" instances ends a series and begins another (jscalendarbis 3.1.3, RFC 5545 3.2.13). */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject } from '../../protocol/json-object.ts'
import { uuidOf } from './ids.ts'
import { fromMs, toMs } from './local-time.ts'
import type { StartForm } from './read-times.ts'

/** A change from a recurrence id on. */
export interface Change {
  readonly key: string
  readonly event: MutableJsonObject
}

/**
 * If a change can begin a series of its own: a rule without COUNT, whose instances stay on their days. Otherwise the rule of the
 * continuation is not that of the series.
 */
export function maySplit(main: JsonObject, { key, event }: Change): boolean {
  const rule = main['recurrenceRule']
  if (!isObject(rule) || rule['count'] !== undefined || event['timeZone'] !== main['timeZone']) return false
  const sameDay = String(event['start']).slice(0, 10) === key.slice(0, 10)
  return sameDay && ['byHour', 'byMinute', 'bySecond'].every((part) => rule[part] === undefined)
}

/** The series, cut before each change, and the series of the changes. */
export function splitSeries(main: MutableJsonObject, form: StartForm, changes: readonly Change[]): JsonObject[] {
  const pieces: MutableJsonObject[] = [main]
  const first = String(main['uid'])
  let last = main
  for (const change of changes.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const uid = uuidOf(`${first} ${change.key}`)
    const next = continuation(last, change, uid)
    relate(next, first, 'first')
    relate(last, uid, 'next')
    cut(last, change.key, form)
    pieces.push(next)
    last = next
  }
  return pieces
}

/** The series that begins with a change: its rule goes on, and so do later overrides. */
function continuation(last: MutableJsonObject, { key, event }: Change, uid: string): MutableJsonObject {
  const shift = toMs(String(event['start'])) - toMs(key)
  const rule = last['recurrenceRule']
  const overrides = isObject(last['recurrenceOverrides']) ? last['recurrenceOverrides'] : {}
  const later = Object.entries(overrides).filter(([id]) => id > key)
  const next: MutableJsonObject = { ...event, uid }
  if (isObject(rule)) {
    const { until } = rule
    next['recurrenceRule'] =
      typeof until === 'string' ? { ...rule, until: fromMs(toMs(until) + Math.max(shift, 0)) } : rule
  }
  if (later.length > 0)
    next['recurrenceOverrides'] = Object.fromEntries(later.map(([id, patch]) => [fromMs(toMs(id) + shift), patch]))
  return next
}

/** Ends a series before a recurrence id. */
function cut(event: MutableJsonObject, key: string, form: StartForm): void {
  const rule = event['recurrenceRule']
  if (isObject(rule)) {
    event['recurrenceRule'] = { ...rule, until: fromMs(toMs(key) - (form.date ? 86_400_000 : 1_000)) }
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
