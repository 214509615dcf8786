import { int, table, text } from './table.ts'

/** Types of events that the active webhooks of an organization ask for. */
export const webhookSubscription = table({
  name: 'webhook_subscription',
  key: ['organization', 'type', 'webhook'],
  owner: 'organization',
  columns: {
    organization: int,
    type: text,
    /** Object number of the Webhook. */
    webhook: int,
  },
})
