/** One instance of a recurring event as an event of its own, for messages about it (RFC 5546 3.2). */
import type { JsonObject } from '../../../server/base/json.ts'
import { isObject, type MutableJsonObject } from '../../protocol/json-object.ts'
import { patched as withPatch } from '../jscalendar/overrides.ts'
import { isFixed } from './patch-diff.ts'

/**
 * The instance with its override applied, with `recurrenceId` and its zone, without the series.
 * @returns null: the instance is excluded
 */
export function instanceEvent(event: JsonObject, recurrenceId: string): JsonObject | null {
  const overrides = event['recurrenceOverrides']
  const patch = isObject(overrides) && Object.hasOwn(overrides, recurrenceId) ? overrides[recurrenceId] : undefined
  if (isObject(patch) && patch['excluded'] === true) return null
  const instance: MutableJsonObject = { ...patched(event, recurrenceId, isObject(patch) ? patch : {}), recurrenceId }
  const zone = event['timeZone']
  if (typeof zone === 'string') instance['recurrenceIdTimeZone'] = zone
  return instance
}

/** The event of an instance, still without its recurrence id. Patches that do not fit have no effect (jscalendarbis 1.5.9). */
export function patched(event: JsonObject, recurrenceId: string, patch: JsonObject): JsonObject {
  const { recurrenceRule: _, recurrenceOverrides: __, ...rest } = event
  return withPatch({ ...rest, start: recurrenceId }, patch, isFixed)
}
