import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Deliveries of events to webhooks, written with the event: first the queue, then the record. */
export const webhookDelivery = table({
  name: 'webhook_delivery',
  key: ['account', 'number'],
  owner: 'organization',
  numbers: [
    { column: 'number', of: 'account' },
    { column: 'id', of: 'organization' },
  ],
  objectType: 'WebhookDelivery',
  columns: {
    /** Account whose unit of work wrote the row. */
    account: int,
    /** Number from the counter of that account. */
    number: int,
    organization: int,
    webhook: int,
    /** Object number in the organization's account; null until a unit of work of the organization has assigned it. */
    id: nullable(int),
    /** Key of the event, together with the organization. */
    event_account: int,
    event: int,
    type: text,
    status: oneOf('pending', 'delivered', 'failed'),
    /** Attempts that have ended. */
    attempts: int,
    /** When the row may be claimed: the time of the next attempt, or the end of the lease; null: the delivery has ended. */
    due_at: nullable(int),
    lease: nullable(text),
    lease_until: int,
    /** HTTP status of the last attempt. */
    last_status: nullable(int),
    last_error: nullable(text),
    /** Body of the last response, cut. */
    answer: nullable(text),
    created_at: int,
    delivered_at: nullable(int),
  },
})
export type WebhookDeliveryTable = RowOf<typeof webhookDelivery>
