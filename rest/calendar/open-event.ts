/** The event that a request names by its id, with its calendar. */
import { normaliseAddress } from '../../jmap/message/mail-address.ts'
import { get, onlyOne } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type Caller, callsForAddress, withAddress } from '../calls/mailbox-access.ts'
import { ApiError, notFound } from '../errors/api-error.ts'
import { jmapEventId } from './event-ids.ts'
import { calendarOf, callsForCalendars, type OpenCalendar, openCalendar } from './open-calendar.ts'
import { EVENT_PROPERTIES, type ReadEvent } from './shown-event.ts'

export interface OpenEvent {
  readonly calendar: OpenCalendar
  readonly event: ReadEvent
}

/**
 * In one round: the id leads to the account.
 * @param address of the mailbox, which must be that of the event
 * @throws ApiError not_found, mailbox_access_denied
 */
export async function openEvent(caller: Caller, jmap: JmapClient, address: string, given: string): Promise<OpenEvent> {
  const found = await readAtOnce(caller, jmap, address, given)
  if (found) return found
  // The address decides which error it is.
  await openCalendar(caller, jmap, address)
  throw notFound('event')
}

/** null: the id is none of an event in the mailbox with the address. */
async function readAtOnce(caller: Caller, jmap: JmapClient, given: string, eventId: string): Promise<OpenEvent | null> {
  const { ids, principal } = caller
  const address = normaliseAddress(given)
  const id = jmapEventId(ids, eventId)
  const accountId = id === null ? null : ids.accountOfId('CalendarEvent', id)
  if (address === null || id === null || accountId === null || ids.isDenied(principal, accountId)) return null
  const { named, calendars, events } = await jmap.settle({
    ...callsForAddress(caller, address),
    ...callsForCalendars(accountId),
    events: get('CalendarEvent', { accountId, ids: [id], properties: EVENT_PROPERTIES }),
  })
  if (named instanceof ApiError) throw named
  const mailbox = withAddress(named, address)
  if (mailbox?.id !== accountId) return null
  if (calendars instanceof ApiError) throw calendars
  if (events instanceof ApiError) throw events
  return { calendar: calendarOf(mailbox, calendars), event: onlyOne(events, 'event') }
}
