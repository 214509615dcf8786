/**
 * Events of the provider (decision D33). An event says only that something has changed: the provider is read then, so neither the order of
 * events nor a repeated one matters. The event is durable before it is acknowledged.
 */
import { findAccount } from '../../storage/repos/accounts.ts'
import { organizationOfCustomer, requireBilling, updateBilling } from '../../storage/repos/billing.ts'
import { insertBillingEvent } from '../../storage/repos/billing-events.ts'
import { Billing } from '../policy/billing/billing.type.ts'
import type { Services } from '../type/context.ts'

export interface BillingEvent {
  /** The provider's id. */
  readonly id: string
  readonly type: string
  /** Epoch ms, by the provider's clock. */
  readonly happenedAt: number
  readonly customer: string
}

/** `foreign`: the customer is none of this installation. `repeated`: the event is known. */
export type Receipt = 'stored' | 'repeated' | 'foreign'

/** Resolves when the event is durable. @throws Failure of the store */
export async function receiveBillingEvent(
  { store, billing }: Pick<Services, 'store' | 'billing'>,
  { id, type, happenedAt, customer }: BillingEvent,
): Promise<Receipt> {
  if (billing.kind !== 'stripe') return 'foreign'
  const organization = await store.read((reader) => organizationOfCustomer(reader, customer))
  if (organization === null) return 'foreign'
  return store.write([organization], async (work) => {
    const unit = work.account(organization)
    if (!(await findAccount(unit, organization))) return 'foreign'
    const request = (await requireBilling(unit)).requested + 1
    if (!(await insertBillingEvent(unit, { id, type, happened_at: happenedAt, request }))) return 'repeated'
    await updateBilling(unit, { requested: request, due_at: unit.now, attempts: 0 })
    // It wakes the worker.
    unit.notify(Billing.name)
    return 'stored'
  })
}
