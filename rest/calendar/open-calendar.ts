/** The calendar that a request names by the address of its mailbox (decision D21), with what events are read and written by. */
import { get } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type Caller, type OpenMailbox, openAddress } from '../calls/mailbox-access.ts'
import { invalid } from '../errors/api-error.ts'

export interface OpenCalendar {
  readonly mailbox: OpenMailbox
  /** IANA name: of all-day and floating events, and of new ones by default (decision D32). */
  readonly zone: string
  readonly calendarIds: readonly string[]
  readonly defaultCalendar: string | null
}

/** @throws ApiError not_found, mailbox_access_denied */
export async function openCalendar(caller: Caller, jmap: JmapClient, address: string): Promise<OpenCalendar> {
  const mailbox = await openAddress(caller, jmap, address)
  const { owner, calendars } = await jmap.call({
    owner: get('MailAccount', { accountId: caller.organization, ids: [mailbox.id], properties: ['timezone'] }),
    calendars: get('Calendar', { accountId: mailbox.id, ids: null, properties: ['id', 'isDefault', 'timeZone'] }),
  })
  const main = calendars.list.find(({ isDefault }) => isDefault)
  return {
    mailbox,
    zone: owner.list[0]?.timezone ?? main?.timeZone ?? 'UTC',
    calendarIds: calendars.list.map(({ id }) => id),
    defaultCalendar: main?.id ?? null,
  }
}

/** @throws ApiError 422 */
export function checkCalendar({ calendarIds }: OpenCalendar, id: string): string {
  if (!calendarIds.includes(id)) throw invalid('calendar_id', 'unknown_reference', 'The mailbox has no such calendar.')
  return id
}
