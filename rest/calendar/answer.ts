/** The owner's answer to an invitation, as a patch of CalendarEvent. */
import { mailAddressOf } from '../../jmap/calendars/event/own-addresses.ts'
import { baseAddress } from '../../jmap/message/mail-address.ts'
import { get } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { invalid } from '../errors/api-error.ts'
import type { OpenCalendar } from './open-calendar.ts'
import type { ReadEvent } from './shown-event.ts'

export const ANSWERS = ['accepted', 'declined', 'tentative'] as const

interface Answer {
  readonly status: (typeof ANSWERS)[number]
  readonly comment: string | null
}

/** @throws ApiError 422: the mailbox organizes the event, or is not invited */
export async function answerOf(
  jmap: JmapClient,
  { mailbox }: OpenCalendar,
  { organizerCalendarAddress, participants }: ReadEvent,
  { status, comment }: Answer,
) {
  const { identities } = await jmap.call({
    identities: get('ParticipantIdentity', { accountId: mailbox.id, ids: null, properties: ['calendarAddress'] }),
  })
  const own = new Set([
    mailbox.address,
    ...identities.list.map(({ calendarAddress }) => mailAddressOf(calendarAddress)),
  ])
  const isOwn = (calendarAddress: string | null | undefined) => {
    const address = mailAddressOf(calendarAddress)
    return address !== null && (own.has(address) || own.has(baseAddress(address)))
  }
  if (isOwn(organizerCalendarAddress))
    throw invalid('event_id', 'not_allowed', 'The mailbox organizes the event: there is nobody to answer.')
  const ids = Object.entries(participants ?? {}).flatMap(([id, { calendarAddress }]) =>
    isOwn(calendarAddress) ? [id] : [],
  )
  if (ids.length === 0) throw invalid('mailbox', 'not_allowed', 'The mailbox is not invited to the event.')
  return Object.fromEntries(
    ids.flatMap((id) => [
      [`participants/${id}/participationStatus`, status],
      [`participants/${id}/participationComment`, comment],
    ]),
  )
}
