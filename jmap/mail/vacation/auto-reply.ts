/**
 * The auto-reply that the description of a mailbox shows (MailAccount, REST's auto_reply) and the VacationResponse of its account are
 * one record: whichever is written, the other follows in the same unit of work.
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findObject, updateObject } from '../../../storage/repos/objects.ts'
import {
  findVacationResponse,
  keepVacationResponse,
  type VacationResponse,
} from '../../../storage/repos/vacation-responses.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { SINGLETON } from '../../type/define-type.ts'

export interface AutoReply {
  readonly enabled: boolean
  readonly subject: string | null
  readonly body: string | null
  /** UTCDates. */
  readonly fromDate: string | null
  readonly toDate: string | null
}

/** @param organization the account that describes the mailbox */
export async function showAutoReply(
  organization: AccountUnit,
  mailbox: number,
  { isEnabled, subject, textBody, fromDate, toDate }: VacationResponse,
): Promise<void> {
  const described = await findObject(organization, organization.account, 'MailAccount', mailbox)
  if (!described) return
  const autoReply: AutoReply = { enabled: isEnabled, subject, body: textBody, fromDate, toDate }
  const updatedAt = formatUTCDate(organization.now)
  await updateObject(organization, organization.account, 'MailAccount', {
    id: mailbox,
    data: { ...described.data, autoReply, updatedAt },
  })
  organization.change('MailAccount', mailbox, 'u', ['autoReply', 'updatedAt'])
}

/** The HTML that a JMAP client wrote stays as long as the text is the one that it goes with. */
export async function keepAutoReply(unit: AccountUnit, { enabled, body, ...rest }: AutoReply): Promise<void> {
  const before = await findVacationResponse(unit, unit.account)
  const htmlBody = before.textBody === body ? before.htmlBody : null
  await keepVacationResponse(unit, { ...rest, isEnabled: enabled, textBody: body, htmlBody })
  unit.change('VacationResponse', SINGLETON, 'u')
}
