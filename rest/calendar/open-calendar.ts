/** The calendar that a request names by the address of its mailbox (decision D21), with what events are read and written by. */
import { type Answers, type Calls, get } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type AddressedMailbox, type Caller, type OpenMailbox, openAddress } from '../calls/mailbox-access.ts'
import { invalid } from '../errors/api-error.ts'
import type { JmapObjects } from '../schema/jmap-types.ts'

export interface OpenCalendar {
  readonly mailbox: OpenMailbox
  /** IANA name: of all-day and floating events, and of new ones by default (decision D32). */
  readonly zone: string
  readonly calendars: readonly ReadCalendar[]
  readonly defaultCalendar: string | null
}

/** @throws ApiError not_found, mailbox_access_denied */
export async function openCalendar(caller: Caller, jmap: JmapClient, address: string): Promise<OpenCalendar> {
  const mailbox = await openAddress(caller, jmap, address)
  const { calendars } = await jmap.call(callsForCalendars(mailbox.id))
  return calendarOf(mailbox, calendars)
}

/** What the calls of a request need to know. */
export interface CalendarPlace {
  /** Of the mailbox. */
  readonly accountId: string
  readonly zone: string
}

/**
 * `openCalendar` and calls that read the calendar, in one round.
 * @throws ApiError not_found, mailbox_access_denied
 */
export async function inCalendar<C extends Calls>(
  caller: Caller,
  jmap: JmapClient,
  address: string,
  calls: (place: CalendarPlace) => C,
): Promise<{ readonly calendar: OpenCalendar; readonly answers: Answers<C> }> {
  const mailbox = await openAddress(caller, jmap, address)
  const accountId = mailbox.id
  const zone = mailbox.timezone ?? NO_ZONE
  const { calendars, ...answers } = await jmap.call(callsForCalendars(accountId), calls({ accountId, zone }))
  const calendar = calendarOf(mailbox, calendars)
  if (calendar.zone === zone) return { calendar, answers: answers as unknown as Answers<C> }
  // The mailbox names no zone, but its default calendar does.
  return { calendar, answers: await jmap.call(calls({ accountId, zone: calendar.zone })) }
}

const NO_ZONE = 'UTC'

const OF_CALENDARS = [
  'id',
  'isDefault',
  'timeZone',
  'isSubscribed',
  'defaultAlertsWithTime',
  'defaultAlertsWithoutTime',
] as const satisfies readonly (keyof JmapObjects['Calendar'])[]

type ReadCalendar = Pick<JmapObjects['Calendar'], (typeof OF_CALENDARS)[number]>

export function callsForCalendars(accountId: string) {
  return { calendars: get('Calendar', { accountId, ids: null, properties: OF_CALENDARS }) }
}

export function calendarOf(
  { id, address, timezone }: AddressedMailbox,
  { list }: { readonly list: readonly ReadCalendar[] },
): OpenCalendar {
  const main = list.find(({ isDefault }) => isDefault)
  return {
    mailbox: { id, address },
    zone: timezone ?? main?.timeZone ?? NO_ZONE,
    calendars: list,
    defaultCalendar: main?.id ?? null,
  }
}

/** @throws ApiError 422 */
export function checkCalendar({ calendars }: OpenCalendar, id: string): string {
  if (!calendars.some((calendar) => calendar.id === id))
    throw invalid('calendar_id', 'unknown_reference', 'The mailbox has no such calendar.')
  return id
}
