import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Payments for purchases, written before the provider is asked, so that none is made twice (decision D33). */
export const billingCharge = table({
  name: 'billing_charge',
  key: ['organization', 'key'],
  owner: 'organization',
  columns: {
    organization: int,
    /** Of the purchase. */
    key: text,
    /** In major units, such as `11.08`. */
    amount: text,
    currency: text,
    item: text,
    description: text,
    /** `started`: the provider may have charged. `void`: it never will. */
    status: oneOf('started', 'charged', 'refused', 'refunding', 'refunded', 'void'),
    /** Why it was refused. */
    reason: nullable(text),
    /** The payment method at the provider, the same for each attempt. */
    source: nullable(text),
    /** Id of the payment at the provider; null: unknown, or there is no billing. */
    reference: nullable(text),
    created_at: int,
    updated_at: int,
  },
})
export type BillingChargeTable = RowOf<typeof billingCharge>
