/** The event `calendar.invitation_replied` (decision D34), in the unit of work that takes the answer. */
import type { JsonObject } from '../../../server/base/json.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { appendEvent } from '../../events/append.ts'
import { ownerZone } from '../availability/owner-zone.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import type { EventWrite } from '../event/event-change.ts'
import { intervalOf, UTC } from '../event/event-times.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import type { Answer } from './decision.ts'

export async function appendReplied(
  { services, unit }: EventWrite,
  { number, event }: StoredEvent,
  { attendee, status, recurrenceId }: Answer,
): Promise<void> {
  const shown = (recurrenceId === null ? null : instanceOf(event, recurrenceId)) ?? event
  const account = await findAccount(unit, unit.account)
  await appendEvent(unit, 'calendar.invitation_replied', {
    calendar_event_id: services.ids.encode(CalendarEvent, unit.account, number),
    mailbox: account?.name ?? '',
    uid: event.uid,
    ...describedTimes(shown, await ownerZone(unit, unit.account)),
    recurrence_id: recurrenceId ?? event.recurrenceId ?? null,
    attendee,
    status,
  })
}

/** Instants, of floating events in the owner's zone (decision D32); of events of whole days the dates, as REST shows them. */
function describedTimes(shown: JsonObject, zone: string) {
  const { title, start, duration, timeZone, showWithoutTime } = shown
  const isAllDay = showWithoutTime === true
  const interval = intervalOf(
    {
      start: typeof start === 'string' ? start : '',
      duration: typeof duration === 'string' ? duration : isAllDay ? 'P1D' : undefined,
      timeZone: typeof timeZone === 'string' && !isAllDay ? timeZone : null,
    },
    isAllDay ? UTC : zone,
  )
  const [first, after] = [interval.start, interval.end].map((instant) => new Date(instant).toISOString())
  return {
    title: typeof title === 'string' ? title : null,
    start: isAllDay ? first?.slice(0, 10) : first,
    end: isAllDay ? after?.slice(0, 10) : after,
  }
}
