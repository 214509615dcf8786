/** Adds addresses to an organization's suppression list (decision D25). */
import type { IdCodec } from '../../../server/base/ids.ts'
import { SUPPRESSION_RESPONSE_MAX_CHARS } from '../../../server/base/sending-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { findSuppression, insertSuppression } from '../../../storage/repos/suppressions.ts'
import type { SuppressionTable } from '../../../storage/schema/tables.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { noteSuppression } from '../../newsletters/states/move-subscribers.ts'
import { Suppression } from './suppression.type.ts'

export interface SuppressionCause {
  readonly reason: SuppressionTable['reason']
  /** Id of the Email that bounced or was complained about. */
  readonly sourceMessageId?: string
  readonly smtpResponse?: string
  /** Id of the newsletter that the message was part of. */
  readonly newsletterId?: string | null
}

/**
 * Inside the organization's unit of work. An existing suppression stays unchanged. Subscribers with the address move (decision D18).
 * @param address as in the envelope or the report
 * @returns the number of the new suppression; null: the address was suppressed before
 */
export async function suppress(
  unit: AccountUnit,
  ids: IdCodec,
  address: string,
  { reason, sourceMessageId, smtpResponse, newsletterId = null }: SuppressionCause,
): Promise<number | null> {
  const normal = normaliseAddress(address.trim())
  if (normal === null) return null
  await noteSuppression(unit, ids, normal, { reason, newsletterId })
  if (await findSuppression(unit, unit.account, normal)) return null
  const id = unit.nextObject()
  await insertSuppression(unit, {
    account: unit.account,
    address: normal,
    id,
    reason,
    source_message_id: sourceMessageId ?? null,
    smtp_response: smtpResponse?.slice(0, SUPPRESSION_RESPONSE_MAX_CHARS) ?? null,
    created_at: unit.now,
  })
  unit.change(Suppression.name, id, 'c')
  return id
}
