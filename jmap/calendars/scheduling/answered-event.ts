/** The event `calendar.invitation_replied` (decision D34), in the unit of work that takes the answer. */
import { appendEvent } from '../../events/append.ts'
import type { EventWrite } from '../event/event-change.ts'
import { reportedEvent } from '../event/report-change.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { instanceOf } from '../jscalendar/overrides.ts'
import type { Answer } from './decision.ts'

export async function appendReplied(
  write: EventWrite,
  { number, event }: StoredEvent,
  { attendee, status, recurrenceId }: Answer,
): Promise<void> {
  const shown = (recurrenceId === null ? null : instanceOf(event, recurrenceId)) ?? event
  const data = await reportedEvent(write, number, shown, recurrenceId ?? event.recurrenceId ?? null)
  await appendEvent(write.unit, 'calendar.invitation_replied', { ...data, attendee, status })
}
