/**
 * Pieces of a series that changes of "this and future" instances have split (split-series.ts), and how messages name them: by the UID of
 * the series, and by the recurrence ids that its instances had at first (RFC 5545 3.8.4.4).
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import { Kept } from './hatch.ts'
import { uuidOf } from './ids.ts'
import { fromMs, toMs } from './local-time.ts'
import { noteRange } from './series-notes.ts'

/** A property in `iCalendar`, so that a file that was exported keeps it: the recurrence id of the change with which a piece begins. */
export const THIS_AND_FUTURE = 'x-posthouse-this-and-future'
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/

/** The recurrence id of the change with which an event begins; null: it begins with its series. */
export function firstIdOf(event: JsonObject): string | null {
  const [id] = new Kept(event).first(THIS_AND_FUTURE)?.values ?? []
  return typeof id === 'string' && LOCAL.test(id) ? id : null
}

/** @param id null: without it */
export function withFirstId(event: JsonObject, id: string | null): JsonObject {
  const { iCalendar, ...rest } = event
  const kept = isObject(iCalendar) ? iCalendar : { '@type': 'ICalComponent', name: 'vevent' }
  const { properties, ...others } = kept
  const all = Array.isArray(properties) ? properties : []
  const own = all.filter((property) => !Array.isArray(property) || property[0] !== THIS_AND_FUTURE)
  if (id === null && own.length === all.length) return event
  if (id !== null)
    return { ...rest, iCalendar: { ...others, properties: [...own, [THIS_AND_FUTURE, {}, 'unknown', id]] } }
  if (own.length > 0) return { ...rest, iCalendar: { ...others, properties: own } }
  const isEmpty = others['convertedProperties'] === undefined && others['components'] === undefined
  return isEmpty ? rest : { ...rest, iCalendar: others }
}

/** The UID of an event that begins with a change of a series. It says that of the series, which nothing else could have given it. */
export function pieceUid(series: string, id: string): string {
  return uuidOf(`${series} ${id}`)
}

/** The UID of the series to which an event belongs: its own, unless it is a piece of another. */
export function seriesUidOf(event: JsonObject): string {
  const uid = String(event['uid'])
  const id = firstIdOf(event)
  if (id === null) return uid
  return relatedUids(event, 'first').find((series) => pieceUid(series, id) === uid) ?? uid
}

/** UIDs of events with that relation (jscalendarbis 3.1.3). */
export function relatedUids(event: JsonObject, relation: 'first' | 'next'): string[] {
  const related = event['relatedTo']
  return Object.entries(isObject(related) ? related : {}).flatMap(([uid, entry]) => {
    const named = isObject(entry) ? entry['relation'] : undefined
    return isObject(named) && named[relation] === true ? [uid] : []
  })
}

/** Milliseconds by which instances of a piece are later than the recurrence ids by which messages name them. */
function shiftOf(event: JsonObject): number {
  const id = firstIdOf(event)
  return id === null ? 0 : toMs(String(event['start'])) - toMs(id)
}

/** The recurrence id in a piece of an instance that messages name. */
export function idInPiece(piece: JsonObject, id: string): string {
  const shift = shiftOf(piece)
  return shift === 0 ? id : fromMs(toMs(id) + shift)
}

/**
 * A piece, or an instance of it, as a message to its organizer names it: they know no other UID than that of the series.
 * RFC 5546 3.2.3: RECURRENCE-ID with RANGE=THISANDFUTURE is this and all that follow.
 */
export function namedInSeries(piece: JsonObject, shown: JsonObject): JsonObject {
  const first = firstIdOf(piece)
  if (first === null) return shown
  const uid = seriesUidOf(piece)
  const { recurrenceId, timeZone } = shown
  if (typeof recurrenceId === 'string')
    return { ...shown, uid, recurrenceId: fromMs(toMs(recurrenceId) - shiftOf(piece)) }
  if (uid === piece['uid']) return shown
  const { recurrenceRule: _rule, ...rest } = shown
  const named = {
    ...rest,
    uid,
    recurrenceId: first,
    ...(typeof timeZone === 'string' && { recurrenceIdTimeZone: timeZone }),
  }
  noteRange(named)
  return named
}
