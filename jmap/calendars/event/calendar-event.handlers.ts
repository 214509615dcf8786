/** Handlers of CalendarEvent: JMAP Calendars 5. */
import { keysOf } from '../../../server/base/known-names.ts'
import { findCalendarEvent, listCalendarEvents } from '../../../storage/repos/calendar-events.ts'
import { setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { Handlers, WriteContext } from '../../type/handlers.ts'
import { type Attachments, prepareAttachments } from './attachments.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import { prepareCopyOf } from './copy-event.ts'
import { createEvent } from './create-event.ts'
import { checkGetEvents, loadEvents } from './load-events.ts'
import { queryEvents } from './query-events.ts'
import { notePrivacy } from './same-privacy.ts'
import { changeEvent } from './store-event.ts'
import { eventOfRow } from './stored-event.ts'
import { updateEvent } from './update-event.ts'
import { destroyInstance, updateInstance } from './update-instance.ts'
import { weighEvents } from './weigh-events.ts'

/** Names of properties that an update need not read: times in UTC are computed if a patch names them. */
const NOT_READ: readonly string[] = ['utcStart', 'utcEnd']

export const calendarEventHandlers: Handlers<typeof CalendarEvent, Attachments> = {
  weigh: weighEvents,
  checkGet: checkGetEvents,
  all: ({ method, reader }, limit) => listCalendarEvents(reader, method.account.number, limit),
  load: loadEvents,
  query: queryEvents,
  // What an expanded list has lost cannot be told: instances that are no more are in no log.
  canCalculateChanges: ({ args }) => !args.expandRecurrences,

  prepareCreate: (method, input) => prepareAttachments(method, input),
  prepareUpdate(method, patch, id) {
    notePrivacy(method, patch, id)
    return prepareAttachments(method, patch)
  },
  prepareCopy: prepareCopyOf,
  updateReads: keysOf(CalendarEvent.properties).filter((name) => !NOT_READ.includes(name)),

  create: createEvent,
  update(write, number, change) {
    const instance = instanceOf(write.method, number)
    return instance ? updateInstance(write, instance, change) : updateEvent(write, number, change)
  },
  destroy(write, number) {
    const instance = instanceOf(write.method, number)
    return instance ? destroyInstance(write, instance) : destroyEvent(write, number)
  },
}

function instanceOf({ request }: MethodContext, number: number) {
  return request.instances.instanceOf(number)
}

async function destroyEvent({ unit, work, method, args }: WriteContext<typeof CalendarEvent>, number: number) {
  const row = await findCalendarEvent(unit, unit.account, number)
  if (!row) return setError('notFound')
  const { sendSchedulingMessages } = args
  return changeEvent(
    { services: method.services, work, unit },
    { before: eventOfRow(row), after: null, changed: [], sendSchedulingMessages, cause: 'owner' },
  )
}
