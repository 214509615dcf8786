import { int, nullable, type RowOf, table, text } from './table.ts'

/** Events of the provider of billing, each once, so that one that is sent again has no effect. */
export const billingEvent = table({
  name: 'billing_event',
  key: ['organization', 'id'],
  owner: 'organization',
  columns: {
    organization: int,
    /** The provider's id. */
    id: text,
    type: text,
    /** By the provider's clock. */
    happened_at: int,
    received_at: int,
    /** The request to read the provider that it made (`billing.requested`). */
    request: int,
    /** When that reading was stored; null: not yet. */
    applied_at: nullable(int),
  },
})
export type BillingEventTable = RowOf<typeof billingEvent>
