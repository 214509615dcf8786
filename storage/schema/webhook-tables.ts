/** Tables of webhooks; conventions as in tables.ts. */

/** What the active webhooks of an organization want to hear. */
export interface WebhookSubscriptionTable {
  organization: number
  type: string
  /** Object number of the Webhook. */
  webhook: number
}

/** One event for one webhook: written with the event, the queue of what is posted, and then its record. */
export interface WebhookDeliveryTable {
  /** Account that it was written in, whose lock was held, and its number there. */
  account: number
  number: number
  organization: number
  webhook: number
  /** Object number of the WebhookDelivery in the organization's account; null until that account's lock was held. */
  id: number | null
  /** Key of the event, with the organization. */
  event_account: number
  event: number
  type: string
  status: 'pending' | 'delivered' | 'failed'
  /** Those that have ended. */
  attempts: number
  /** When it may be claimed: its next attempt, or the end of its lease; null: it is not pending any more. */
  due_at: number | null
  lease: string | null
  lease_until: number
  /** Of the last attempt. */
  last_status: number | null
  last_error: string | null
  /** What the receiver answered, as text, cut. */
  answer: string | null
  created_at: number
  delivered_at: number | null
}
