/** The time zone of a mailbox's owner (decision D32): all-day and floating events happen in it. */
import type { Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { findStored } from '../../type/object-store.ts'
import { findDefaultCalendar } from '../calendar/calendars.ts'

/** An IANA name. The default calendar's, if the mailbox names none. @param account of the mailbox */
export async function ownerZone(reader: Reader, account: number): Promise<string> {
  const organization = (await findAccount(reader, account))?.organization ?? null
  const mailbox = organization === null ? null : await findStored(reader, organization, MailAccount, account)
  return mailbox?.data.timezone ?? (await findDefaultCalendar(reader, account))?.data.timeZone ?? 'UTC'
}
