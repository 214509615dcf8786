/** Ids of events. Of an instance: the id of its event, `_`, and its original local time (decision D21). */
import { keyOfLocal, parseLocal } from '../../jmap/calendars/jscalendar/date-times.ts'
import { isId } from '../../jmap/protocol/primitives.ts'
import type { RestIds } from '../access/ids.ts'

const INSTANCE = /^(\w+)_(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2}))?$/

/** The JMAP id of what a request names; null: it can be none of an event. */
export function jmapEventId(ids: RestIds, given: string): string | null {
  const [, event, year, month, day, hour = '00', minute = '00', second = '00'] = INSTANCE.exec(given) ?? []
  if (event === undefined) return isId(given) ? given : null
  const local = parseLocal(`${year}-${month}-${day}T${hour}:${minute}:${second}`)
  return local === null ? null : ids.instanceId('CalendarEvent', event, keyOfLocal(local))
}

export function isInstanceId(given: string): boolean {
  return INSTANCE.test(given)
}

/** @param recurrenceId local time; null: the event is no instance */
export function restEventId(event: string, recurrenceId: string | null, isAllDay: boolean): string {
  if (recurrenceId === null) return event
  const compact = recurrenceId.replace(/[-:]/g, '')
  return `${event}_${isAllDay ? compact.slice(0, 8) : compact}`
}
