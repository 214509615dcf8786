/**
 * The auto-reply in the description of a mailbox (MailAccount, REST's auto_reply) and the VacationResponse of its account are one
 * record: a write of either writes the other in the same unit of work.
 */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findObject, updateObject } from '../../../storage/repos/objects.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { StoredOf } from '../../type/derived.ts'
import { findSingleton, saveSingleton } from '../../type/object-store.ts'
import { VacationResponse } from './vacation-response.type.ts'

export interface AutoReply {
  readonly enabled: boolean
  readonly subject: string | null
  readonly body: string | null
  /** UTCDates. */
  readonly fromDate: string | null
  readonly toDate: string | null
}

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

/** HTML from a JMAP client stays while its text is unchanged. */
export async function keepAutoReply(unit: AccountUnit, { enabled, body, ...rest }: AutoReply): Promise<void> {
  const before = await vacationResponseOf(unit, unit.account)
  const htmlBody = before.textBody === body ? before.htmlBody : null
  await saveSingleton(unit, VacationResponse, { ...rest, isEnabled: enabled, textBody: body, htmlBody })
}
