/** Scheduling messages (RFC 6047) act when their mail is delivered, in the same commit. */
import { SCHEDULING_READ_MS } from '../../server/base/calendar-data-limits.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { readSchedulingMessages } from '../calendars/scheduling/incoming-mail.ts'
import type { IncomingMessage, Refusal } from '../calendars/scheduling/incoming-message.ts'
import { takeMessage } from '../calendars/scheduling/take-message.ts'
import type { PreparedEmail, StoredEmail } from '../mail/email/store-email.ts'
import type { Services } from '../type/context.ts'
import { isAuthenticAuthor } from './author.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { InboundMessage } from './inbound-message.ts'
import { readLater } from './late-calendars.ts'
import type { PreparedDelivery } from './prepare.ts'

export type CalendarMessages = readonly (IncomingMessage | Refusal)[]

/** Outside of the unit of work; once for all recipients. */
export function calendarMessagesIn(
  services: Services,
  message: InboundMessage,
  { parsed }: PreparedEmail,
): Promise<CalendarMessages> {
  // Reports of this server return what the mailbox has sent itself.
  if (message.reports) return Promise.resolve([])
  const { bytes } = message
  const mail = { bytes, parsed, isAuthentic: isAuthenticAuthor(message), waitMs: SCHEDULING_READ_MS }
  return readSchedulingMessages(services, mail)
}

interface Delivered {
  readonly message: InboundMessage
  readonly email: PreparedEmail
  readonly calendars: CalendarMessages
  readonly stored: StoredEmail
}

/** Inside. If one part of a mail is late, all are taken later. */
export async function takeCalendarMessages(
  services: Services,
  { work, unit }: { readonly work: Unit; readonly unit: AccountUnit },
  { message: inbound, email, calendars, stored }: Delivered,
  { plan, recipient }: Pick<PreparedDelivery, 'plan' | 'recipient'>,
  log: DeliveryLog,
): Promise<void> {
  if (!plan.isJunk && calendars.some((message) => 'refusal' in message && message.isLate)) {
    const mail = { email: stored.id, parsed: email.parsed, recipient, isAuthentic: isAuthenticAuthor(inbound) }
    log.note('calendar', await readLater(unit, mail))
    return
  }
  for (const message of calendars) {
    if ('refusal' in message) log.note('calendar', message.refusal)
    else if (plan.isJunk)
      log.note('calendar', `The calendar message ${message.method.toUpperCase()} has no effect: the mail is junk.`)
    else for (const note of await takeMessage({ services, work, unit }, message, recipient)) log.note('calendar', note)
  }
}
