/** What stands before a purchase (decisions D1, D7 and D33). */
import type { Reader } from '../../../storage/ports.ts'
import { findBilling } from '../../../storage/repos/billing.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { Organization } from '../organization.type.ts'
import type { ChargeOutcome } from './payment.ts'

export const NO_PAYMENT_METHOD = 'The organization has no payment method. It is saved in the checkout or the portal.'

/** Why the organization cannot buy anything: no subscription, or no payment method; null: it can. Without billing everybody can. */
export async function purchaseFault(
  reader: Reader,
  { billing }: Pick<Services, 'billing'>,
  organization: number,
): Promise<SetError | null> {
  if (billing.kind === 'none') return null
  const own = await findStored(reader, organization, Organization, organization)
  const plan = own?.data.plan ?? null
  if (plan === null || plan === 'free')
    return setError('subscriptionRequired', 'The organization has no active subscription.')
  const row = await findBilling(reader, organization)
  return row?.has_payment_method === 1 ? null : setError('noPaymentMethod', NO_PAYMENT_METHOD)
}

/** The SetError of a charge that was refused. */
export function refusedPayment({ code, reason }: Extract<ChargeOutcome, { kind: 'refused' }>): SetError {
  return setError(code === 'no_payment_method' ? 'noPaymentMethod' : 'paymentFailed', reason)
}
