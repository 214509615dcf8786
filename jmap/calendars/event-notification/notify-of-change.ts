/** Notifications about changes that the owner did not make; they go when the owner changes the event (JMAP Calendars 7). */
import { MAX_EVENT_NOTIFICATIONS, NOTIFICATION_EVENT_MAX_BYTES } from '../../../server/base/calendar-data-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { StoredOf } from '../../type/derived.ts'
import { deleteStored, insertStored, listStored } from '../../type/object-store.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import type { EventChange, EventEffect, EventWrite, MessageCause } from '../event/event-change.ts'
import type { StoredEvent } from '../event/stored-event.ts'
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
  write: EventWrite,
  { before, after }: EventChange,
  cause: MessageCause,
  calendarEventId: string,
): Promise<void> {
  const event = (before ?? after)?.event
  if (!event) return
  await insertNotification(write.unit, cause, {
    type: before === null ? 'created' : after === null ? 'destroyed' : 'updated',
    calendarEventId,
    isDraft: after?.isDraft ?? null,
    ...cutDown(event, before && after ? patchBetween(before.event, after.event) : null),
  })
}

/** A notice about an event that is not changed, such as the proposal of another time. The same one is shown once. */
export async function noticeOf({ services, unit }: EventWrite, about: StoredEvent, cause: MessageCause): Promise<void> {
  const calendarEventId = services.ids.encode(CalendarEvent, unit.account, about.number)
  const known = await listStored(unit, unit.account, CalendarEventNotification)
  const isKnown = known.some(
    ({ data }) =>
      data.calendarEventId === calendarEventId &&
      data.comment === cause.comment &&
      data.changedBy.email === cause.email,
  )
  if (isKnown) return
  const { isDraft, event } = about
  await insertNotification(unit, cause, { type: 'updated', calendarEventId, isDraft, ...cutDown(event, {}) })
}

type Notified = Pick<
  StoredOf<typeof CalendarEventNotification>,
  'type' | 'calendarEventId' | 'isDraft' | 'event' | 'eventPatch'
>

async function insertNotification(
  unit: AccountUnit,
  { name, email, calendarAddress, comment }: MessageCause,
  notified: Notified,
): Promise<void> {
  const others = await listStored(unit, unit.account, CalendarEventNotification)
  for (const { id } of others.slice(0, Math.max(0, others.length - MAX_EVENT_NOTIFICATIONS + 1)))
    await deleteStored(unit, CalendarEventNotification, id)
  await insertStored(unit, CalendarEventNotification, {
    id: unit.nextObject(),
    data: {
      created: formatUTCDate(unit.now),
      changedBy: { name, email, principalId: null, calendarAddress },
      comment,
      ...notified,
    },
  })
}

/** What says which event it is. */
const NAMING = ['@type', 'uid', 'title', 'start', 'duration', 'timeZone', 'showWithoutTime', 'status'] as const

/** All notifications of an account are read together: those of large events do not have all of them. */
function cutDown(event: JsonObject, eventPatch: JsonObject | null): Pick<Notified, 'event' | 'eventPatch'> {
  const size = JSON.stringify(event).length + JSON.stringify(eventPatch).length
  if (size <= NOTIFICATION_EVENT_MAX_BYTES) return { event, eventPatch }
  const isNaming = ([name]: [string, unknown]) => NAMING.some((one) => one === name)
  return {
    event: Object.fromEntries(Object.entries(event).filter(isNaming)),
    eventPatch: eventPatch && Object.fromEntries(Object.entries(eventPatch).filter(isNaming)),
  }
}
