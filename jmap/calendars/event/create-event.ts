/** CalendarEvent/set, create: JMAP Calendars 5.9. */
import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../server/base/json.ts'
import { type CalendarEventRow, calendarEventsOfUid } from '../../../storage/repos/calendar-events.ts'
import { alreadyExists, type SetError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { CreateOf } from '../../type/derived.ts'
import type { CreateOutcome, WriteContext } from '../../type/handlers.ts'
import { withMeeting } from '../conferencing/event-meeting.ts'
import type { Event } from '../jscalendar/event.ts'
import { defaultCalendarAddress } from '../participant-identity/participant-identities.ts'
import { type Attachments, withAttachments } from './attachments.ts'
import { CalendarEvent } from './calendar-event.type.ts'
import { checkWritten } from './event-error.ts'
import { OwnAddresses } from './own-addresses.ts'
import { privacyError } from './same-privacy.ts'
import { changeEvent } from './store-event.ts'
import { jscalendarPart, readCalendars, withUTCTimes } from './written-event.ts'

export async function createEvent(
  write: WriteContext<typeof CalendarEvent>,
  input: CreateOf<typeof CalendarEvent>,
  attachments: Attachments,
): Promise<CreateOutcome> {
  const { unit, method, work, args } = write
  const read = await readCalendars(write, input.calendarIds)
  if ('error' in read) return read
  const { utcStart, utcEnd, isDraft } = input
  const given = await withAttachments(write, jscalendarPart(input), attachments)
  const timed = withUTCTimes(given, { utcStart, utcEnd, given: Object.keys(given) }, read.calendars)
  if ('error' in timed) return timed
  const own = new OwnAddresses(unit, unit.account)
  const written = checkWritten(await completed(write, timed.event, own))
  if ('error' in written) return written
  const checked = await withMeeting(unit, unit.account, null, written.event)
  if ('error' in checked) return checked
  const error = (await uidError(write, checked.event)) ?? (await privacyError(write, checked.event, null))
  if (error) return { error }
  const number = unit.nextObject()
  const calendars = read.calendars.map(({ id }) => id)
  const after = { number, calendars, isDraft, revision: 1, event: checked.event }
  const { sendSchedulingMessages } = args
  const change = { before: null, after, changed: [], sendSchedulingMessages, cause: 'owner' as const }
  const refused = await changeEvent({ services: method.services, work, unit }, change)
  if (refused) return { error: refused }
  return { created: { number, serverSet: await toldOfNew(checked.event, isDraft, own) } }
}

/** With what the server sets if the client does not (JMAP Calendars 5.9). */
async function completed(
  { unit }: Pick<WriteContext, 'unit'>,
  given: JsonObject,
  own: OwnAddresses,
): Promise<JsonObject> {
  const now = formatUTCDate(Math.floor(unit.now / 1000) * 1000)
  const event = await withOrganizer(unit, { '@type': 'Event', uid: randomUUID(), created: now, ...given })
  const { organizerCalendarAddress: organizer, created } = event
  const isOrigin = organizer === undefined || (typeof organizer === 'string' && (await own.has(organizer)))
  if (!isOrigin) return event
  // The server's time replaces the client's; an event is not made after it was updated.
  return { ...event, updated: now, ...(typeof created === 'string' && created > now && { created: now }) }
}

/** JMAP Calendars 5.9: an event with participants has an organizer. */
export async function withOrganizer(unit: WriteContext['unit'], event: JsonObject): Promise<JsonObject> {
  const { participants, organizerCalendarAddress } = event
  if (organizerCalendarAddress !== undefined || !isObject(participants) || Object.keys(participants).length === 0)
    return event
  const address = await defaultCalendarAddress(unit, unit.account)
  return address === null ? event : { ...event, organizerCalendarAddress: address }
}

async function uidError({ unit, method }: WriteContext<typeof CalendarEvent>, event: Event): Promise<SetError | null> {
  const rival = rivalOf(await calendarEventsOfUid(unit, unit.account, event.uid), event)
  return rival ? alreadyExists(method.id(CalendarEvent, rival.id), 'The account has an event with this uid.') : null
}

/** JMAP Calendars 1.4.1: events with the same uid are instances with different recurrence ids. @param rows of the same uid */
export function rivalOf(
  rows: readonly CalendarEventRow[],
  { recurrenceId = '' }: Pick<Event, 'recurrenceId'>,
): CalendarEventRow | undefined {
  return rows.find(({ recurrence_id: other }) => other === recurrenceId || other === '' || recurrenceId === '')
}

/** Properties that the client may not know. */
async function toldOfNew(event: Event, isDraft: boolean, own: OwnAddresses): Promise<JsonObject> {
  const { uid, created, updated, start, duration, timeZone, organizerCalendarAddress, links } = event
  const { conferencing, virtualLocations } = event
  return {
    '@type': 'Event',
    uid,
    isDraft,
    isOrigin: await own.isOrigin(event),
    start,
    ...(created !== undefined && { created }),
    ...(updated !== undefined && { updated }),
    ...(duration !== undefined && { duration }),
    ...(typeof timeZone === 'string' && { timeZone }),
    ...(organizerCalendarAddress !== undefined && { organizerCalendarAddress }),
    ...(links !== undefined && { links }),
    ...(conferencing !== undefined && { conferencing, ...(virtualLocations !== undefined && { virtualLocations }) }),
  }
}
