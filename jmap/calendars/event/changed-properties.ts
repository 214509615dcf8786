/** Which properties of an event a change concerns. Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn, jsonEqual } from '../../protocol/json-object.ts'
import type { StoredEvent } from './stored-event.ts'

/** Names of the properties of CalendarEvent that differ. */
export function changedNames(before: StoredEvent, after: StoredEvent): string[] {
  const changed = namesOf(before.event, after.event).filter(
    (name) => !jsonEqual(getOwn(before.event, name), getOwn(after.event, name)),
  )
  if (before.calendars.join() !== after.calendars.join()) changed.push('calendarIds')
  if (before.isDraft !== after.isDraft) changed.push('isDraft')
  return changed
}

/** Names of the members of either object. */
export function namesOf(a: JsonObject, b: JsonObject): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
}
