/** Notifications about changes that the owner did not make; they go when the owner changes the event (JMAP Calendars 7). */
import { MAX_EVENT_NOTIFICATIONS } from '../../../server/base/calendar-data-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { deleteStored, insertStored, listStored } from '../../type/object-store.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import type { EventChange, EventEffect, EventWrite, MessageCause } from '../event/event-change.ts'
import { patchBetween } from '../jscalendar/overrides.ts'
import { CalendarEventNotification } from './event-notification.type.ts'

export const notifyOfChange: EventEffect = {
  async apply(write, change) {
    const { before, after, cause } = change
    const number = (after ?? before)?.number
    if (number === undefined) return
    const eventId = write.services.ids.encode(CalendarEvent, write.unit.account, number)
    if (cause === 'owner') {
      // A new event has none yet.
      if (before !== null) await dismiss(write.unit, eventId)
    } else await notify(write, change, cause, eventId)
  },
}

async function dismiss(unit: AccountUnit, eventId: string): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, CalendarEventNotification))
    if (data.calendarEventId === eventId) await deleteStored(unit, CalendarEventNotification, id)
}

async function notify(
  { unit }: EventWrite,
  { before, after }: EventChange,
  { name, email, calendarAddress, comment }: MessageCause,
  calendarEventId: string,
): Promise<void> {
  const event = (before ?? after)?.event
  if (!event) return
  const others = await listStored(unit, unit.account, CalendarEventNotification)
  for (const { id } of others.slice(0, Math.max(0, others.length - MAX_EVENT_NOTIFICATIONS + 1)))
    await deleteStored(unit, CalendarEventNotification, id)
  await insertStored(unit, CalendarEventNotification, {
    id: unit.nextObject(),
    data: {
      created: formatUTCDate(unit.now),
      changedBy: { name, email, principalId: null, calendarAddress },
      comment,
      type: before === null ? 'created' : after === null ? 'destroyed' : 'updated',
      calendarEventId,
      isDraft: after?.isDraft ?? null,
      event,
      eventPatch: before && after ? patchBetween(before.event, after.event) : null,
    },
  })
}
