/** Notes in `iCalendar` of how the dates of a series stood. */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject } from '../../protocol/json-object.ts'
import { formatPatchPath } from '../../protocol/pointer.ts'

/** Without the notes of how dates of the series stood, which no instance has. */
export function withoutSeries(event: JsonObject): JsonObject {
  return withoutNotes(event, /^recurrence(?:Overrides|Rule)(?:\/|$)/)
}

/** Without the recurrence id of an instance that stood alone, and how it stood. */
export function withoutInstance(event: JsonObject): JsonObject {
  const { recurrenceId: _id, recurrenceIdTimeZone: _zone, ...rest } = event
  return withoutNotes(rest, /^recurrenceId$/)
}

function withoutNotes(event: JsonObject, paths: RegExp): JsonObject {
  const kept = event['iCalendar']
  const converted = isObject(kept) ? kept['convertedProperties'] : undefined
  if (!isObject(kept) || !isObject(converted)) return event
  const own = Object.entries(converted).filter(([path]) => !paths.test(path))
  const { convertedProperties: _, ...rest } = kept
  const all = own.length > 0 ? { ...rest, convertedProperties: Object.fromEntries(own) } : rest
  if (own.length > 0 || rest['properties'] !== undefined || rest['components'] !== undefined)
    return { ...event, iCalendar: all }
  const { iCalendar: __, ...bare } = event
  return bare
}

/** Notes in `iCalendar` that an instance stood with RANGE=THISANDFUTURE (2.3.34). */
export function noteRange(event: MutableJsonObject): void {
  noteConverted(event, ['recurrenceId'], {
    '@type': 'ICalProperty',
    name: 'recurrence-id',
    parameters: { range: 'THISANDFUTURE' },
  })
}

/** Notes that these dates stood as RDATE too. */
export function noteRdates(event: MutableJsonObject, keys: readonly string[]): void {
  const entry = { '@type': 'ICalProperty', name: 'rdate' }
  noteAll(
    event,
    keys.map((key) => [formatPatchPath(['recurrenceOverrides', key]), entry]),
  )
}

function noteConverted(event: MutableJsonObject, path: readonly string[], entry: JsonObject): void {
  noteAll(event, [[formatPatchPath(path), entry]])
}

function noteAll(event: MutableJsonObject, entries: readonly (readonly [path: string, entry: JsonObject])[]): void {
  if (entries.length === 0) return
  const kept = isObject(event['iCalendar']) ? event['iCalendar'] : { '@type': 'ICalComponent', name: 'vevent' }
  const converted = isObject(kept['convertedProperties']) ? kept['convertedProperties'] : {}
  event['iCalendar'] = { ...kept, convertedProperties: { ...converted, ...Object.fromEntries(entries) } }
}
