/** All instances of an account's events in a window, each as an event of its own. */
import type { JsonObject } from '../../../server/base/json.ts'
import { calendarEventsBetween } from '../../../storage/repos/calendar-event-query.ts'
import { findCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import { expand, recurrenceId } from '../recurrence/expand.ts'
import { ZONES_MS } from './event-rows.ts'
import { type Interval, intervalOf } from './event-times.ts'
import { calculated, preparedOf } from './recurrences.ts'
import { eventOfRow, type StoredEvent } from './stored-event.ts'

export interface InstanceBetween extends Interval {
  readonly stored: StoredEvent
  /** With its override. */
  readonly event: JsonObject
  /** null: the event does not recur. */
  readonly recurrenceId: string | null
}

/**
 * In no order. Events without a duration have a start in the window.
 * @param window epoch ms
 * @throws MethodError cannotCalculateOccurrences
 */
export async function instancesBetween(
  { method, reader }: ReadContext,
  window: Interval,
  floatingZone: string,
): Promise<InstanceBetween[]> {
  const account = method.account.number
  const bounds = { after: window.start - ZONES_MS, before: window.end + ZONES_MS }
  const found: InstanceBetween[] = []
  for (const isRecurring of [false, true]) {
    const rows = await calendarEventsBetween(reader, account, { ...bounds, isRecurring })
    const events = await findCalendarEvents(
      reader,
      account,
      rows.map(({ id }) => id),
    )
    for (const row of events) {
      method.request.guard.check()
      const stored = eventOfRow(row)
      if (isRecurring) found.push(...instancesOf(method.services.store, account, stored, window, floatingZone))
      else found.push({ stored, event: stored.event, recurrenceId: null, ...intervalOf(stored.event, floatingZone) })
    }
  }
  return found.filter(({ start, end }) => start < window.end && (end > window.start || start >= window.start))
}

function instancesOf(
  store: ReadContext['method']['services']['store'],
  account: number,
  stored: StoredEvent,
  window: Interval,
  floatingZone: string,
): InstanceBetween[] {
  const times = calculated(() => expand(preparedOf(store, account, stored), window, { floatingZone }))
  return times.flatMap((instance) => {
    const id = recurrenceId(instance)
    const event = instanceOf(stored.event, id)
    return event ? [{ stored, event, recurrenceId: id, start: instance.start, end: instance.end }] : []
  })
}
