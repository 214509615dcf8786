/** Handlers of CalendarEventNotification: JMAP Calendars 7. */
import { setError } from '../../protocol/errors.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import { passesFilter } from '../../type/filter.ts'
import type { Handlers } from '../../type/handlers.ts'
import { listResult, objectHandlers } from '../../type/object-handlers.ts'
import { findStored, listStored } from '../../type/object-store.ts'
import { CalendarEventNotification } from './event-notification.type.ts'

const { create: _create, ...objects } = objectHandlers(CalendarEventNotification)

/** JMAP Calendars 7.3: clients only dismiss notifications. */
const FORBIDDEN = setError('forbidden', 'Notifications can only be destroyed.')

export const eventNotificationHandlers: Handlers<typeof CalendarEventNotification, undefined> = {
  ...objects,
  async prepareUpdate(method, _patch, id) {
    const number = method.number(CalendarEventNotification, id)
    const found = await method.read((reader) =>
      findStored(reader, method.account.number, CalendarEventNotification, number),
    )
    return found ? { error: FORBIDDEN } : { prepared: undefined }
  },

  async query({ method, reader }, { filter, sort }) {
    const all = await listStored(reader, method.account.number, CalendarEventNotification)
    const kept = all.filter(({ data }) => {
      const created = parseUTCDate(data.created) ?? 0
      return passesFilter(filter, {
        after: (date) => date === null || created >= (parseUTCDate(date) ?? 0),
        before: (date) => date === null || created < (parseUTCDate(date) ?? 0),
        type: (type) => data.type === type,
        calendarEventIds: (ids) => ids === null || ids.includes(data.calendarEventId),
      })
    })
    // Numbers grow with every notification: the default is newest first.
    const isAscending = sort[0]?.isAscending ?? false
    const numbers = kept.map(({ id }) => id)
    return listResult(isAscending ? numbers : numbers.toReversed())
  },
}
