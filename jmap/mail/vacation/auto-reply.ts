/**
 * The auto-reply in the description of a mailbox (MailAccount, REST's auto_reply) and the VacationResponse of its account are one
 * record: a write of either writes the other in the same unit of work.
 */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { ObjectOf, StoredOf } from '../../type/derived.ts'
import { findSingleton, findStored, saveSingleton, updateStored } from '../../type/object-store.ts'
import { MailAccount } from '../mail-account/mail-account.type.ts'
import { VacationResponse } from './vacation-response.type.ts'

export type AutoReply = ObjectOf<typeof MailAccount>['autoReply']
export type StoredVacationResponse = StoredOf<typeof VacationResponse>

const NEVER_WRITTEN: StoredVacationResponse = {
  isEnabled: false,
  fromDate: null,
  toDate: null,
  subject: null,
  textBody: null,
  htmlBody: null,
}

/** RFC 8621 8.1: every account has one. */
export async function vacationResponseOf(reader: Reader, account: number): Promise<StoredVacationResponse> {
  return (await findSingleton(reader, account, VacationResponse)) ?? NEVER_WRITTEN
}

/** @param organization the account that describes the mailbox */
export async function showAutoReply(
  organization: AccountUnit,
  mailbox: number,
  { isEnabled, subject, textBody, fromDate, toDate }: StoredVacationResponse,
): Promise<void> {
  const described = await findStored(organization, organization.account, MailAccount, mailbox)
  if (!described) return
  const autoReply: AutoReply = { enabled: isEnabled, subject, body: textBody, fromDate, toDate }
  const updatedAt = formatUTCDate(organization.now)
  const data = { ...described.data, autoReply, updatedAt }
  await updateStored(organization, MailAccount, { id: mailbox, data }, ['autoReply', 'updatedAt'])
}

/** HTML from a JMAP client stays while its text is unchanged. */
export async function keepAutoReply(unit: AccountUnit, { enabled, body, ...rest }: AutoReply): Promise<void> {
  const before = await vacationResponseOf(unit, unit.account)
  const htmlBody = before.textBody === body ? before.htmlBody : null
  await saveSingleton(unit, VacationResponse, { ...rest, isEnabled: enabled, textBody: body, htmlBody })
}
