/** Payments for domains (jmap/policy/billing/payment.ts). */
import type { Reader } from '../../../storage/ports.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { Services } from '../../type/context.ts'
import type { ChargeOutcome, ChargeRequest, RefundOutcome, RefundRequest } from '../billing/payment.ts'

/** Why the organization may buy nothing; null: it may. Without billing every plan is an active subscription (decision D7). */
export async function purchaseFault(
  _reader: Reader,
  _services: Services,
  _organization: number,
): Promise<SetError | null> {
  return null
}

export async function charge(_services: Services, _request: ChargeRequest): Promise<ChargeOutcome> {
  return { kind: 'charged', isFree: true }
}

export async function refund(_services: Services, _request: RefundRequest): Promise<RefundOutcome> {
  return { kind: 'nothing' }
}

export function refusedPayment({ code, reason }: Extract<ChargeOutcome, { kind: 'refused' }>): SetError {
  return setError(code === 'no_payment_method' ? 'noPaymentMethod' : 'paymentFailed', reason)
}
