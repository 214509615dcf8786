/** Checks on all mail that an organization sends, by whatever protocol: suppressions, reputation, plan (decisions D14, D25 to D27). */
import { SUPPRESSED_NAMED_MAX } from '../../../server/base/sending-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { findSuppression } from '../../../storage/repos/suppressions.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { countSends, planOf, sendsFault } from '../../policy/plan.ts'
import { reputationFault } from '../../policy/reputation/admission.ts'
import { type SetError, suppressedRecipients } from '../../protocol/errors.ts'
import type { Limits } from '../../type/limits.ts'

/**
 * Inside the organization's unit of work, after all other checks: whether a message may go to these recipients. If so, they are counted
 * as sends. All or none.
 */
export async function admissionFault(
  organization: AccountUnit,
  limits: Pick<Limits, 'plan' | 'hasPlanLimits' | 'reputation'>,
  recipients: readonly string[],
): Promise<SetError | null> {
  const suppressed: string[] = []
  for (const address of recipients) {
    const normal = normaliseAddress(address)
    if (normal !== null && (await findSuppression(organization, organization.account, normal))) suppressed.push(address)
  }
  if (suppressed.length > 0) return suppressedRecipients(suppressed.slice(0, SUPPRESSED_NAMED_MAX))
  const count = recipients.length
  const plan = await planOf(organization, limits, organization.account, organization.now)
  const error =
    (await sendsFault(organization, plan, count)) ?? (await reputationFault(organization, limits.reputation, count))
  if (!error) await countSends(organization, plan, count)
  return error
}
