import { EVENT_TYPES, TEST_EVENT } from '../../jmap/events/event-types.ts'
import { endpoint } from '../endpoint.ts'
import { get, onlyOne, webhookVerb } from '../jmap-calls.ts'
import type { JmapClient } from '../jmap-client.ts'
import type { WebhookDeliveryObject } from '../jmap-types.ts'
import { listOrganization } from '../organization-list.ts'
import { cursorPage, pageQuery } from '../pagination.ts'
import { notFound } from '../problem.ts'
import {
  constant,
  type Infer,
  integer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from '../schema.ts'
import { id, knownId } from '../shapes/common.ts'
import { instant, instantOrNull } from '../timestamps.ts'
import { readWebhook, requireActive } from './webhooks.ts'

const STATUSES = ['pending', 'delivered', 'failed'] as const

const fields = {
  object: constant('webhook_delivery'),
  id: id('whd_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  webhook_id: id('wh_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  event_id: id('evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq', 'The same at every attempt, and when it is replayed.'),
  event_type: string({ examples: ['message.received'] }),
  status: oneOf(STATUSES, '`pending` until it was taken, or has failed for good.'),
  attempts: integer({ description: 'Attempts that have ended; there are up to 5.' }),
  last_status_code: nullable(integer({ examples: [204] })),
  last_error: nullable(string({ examples: ['the receiver answered 500'] })),
  next_attempt_at: nullable(timestamp()),
  created_at: timestamp(),
  delivered_at: nullable(timestamp()),
}

const Delivery = named('WebhookDelivery', object(fields))

const DeliveryDetail = named(
  'WebhookDeliveryDetail',
  object({
    ...fields,
    request_body: nullable(
      string({
        description: 'What is posted, as text: the envelope of the event.',
        examples: ['{"event_id":"evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq","event_type":"message.received","data":{}}'],
      }),
    ),
    response_body: nullable(string({ description: 'How the answer to the last attempt began, up to 4,096 octets.' })),
  }),
)

export const listWebhookDeliveries = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries',
  operationId: 'listWebhookDeliveries',
  tag: 'Webhooks',
  summary: "List a webhook's deliveries, newest first",
  description: 'Deliveries are kept for 30 days.',
  scope: 'webhooks:read',
  tier: 'read',
  query: object({
    status: optional(oneOf(STATUSES)),
    event_type: optional(oneOf([...EVENT_TYPES, TEST_EVENT])),
    ...pageQuery,
  }),
  status: 200,
  response: cursorPage(Delivery),
  errors: ['not_found'],
  async run(input, jmap) {
    const { id: webhookId } = await readWebhook(jmap, input.organization, knownId(input.params.webhook_id, 'webhook'))
    return listOrganization(input, jmap, {
      list: `deliveries of ${webhookId}`,
      type: 'WebhookDelivery',
      filters: { status: input.query.status, event_type: input.query.event_type },
      filter: ({ status, event_type: eventType }) => ({
        webhookId,
        ...(status !== undefined && { status }),
        ...(eventType !== undefined && { eventType }),
      }),
      show: toDelivery,
    })
  },
})

export const getWebhookDelivery = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
  operationId: 'getWebhookDelivery',
  tag: 'Webhooks',
  summary: 'Get a delivery with what was sent and answered',
  scope: 'webhooks:read',
  tier: 'read',
  status: 200,
  response: DeliveryDetail,
  errors: ['not_found'],
  async run({ params, organization }, jmap) {
    const delivery = await readDelivery(jmap, organization, params)
    return { ...toDelivery(delivery), request_body: delivery.requestBody, response_body: delivery.responseBody }
  },
})

export const replayWebhookDelivery = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
  operationId: 'replayWebhookDelivery',
  tag: 'Webhooks',
  summary: 'Deliver an event once more',
  description: 'Makes a new delivery of the same event: its `event_id` is the same.',
  scope: 'webhooks:write',
  tier: 'write',
  status: 202,
  response: Delivery,
  errors: ['not_found', 'invalid_state'],
  async run({ params, organization: accountId }, jmap) {
    const { id: deliveryId } = await readDelivery(jmap, accountId, params)
    const webhook = await readWebhook(jmap, accountId, params.webhook_id)
    requireActive(webhook)
    const { made } = await jmap.call({
      made: webhookVerb('WebhookDelivery/replay', { accountId, webhookId: webhook.id, deliveryId }),
    })
    const { found } = await jmap.call({ found: get('WebhookDelivery', { accountId, ids: [made.deliveryId] }) })
    return toDelivery(onlyOne(found, 'delivery'))
  },
})

const WITH_BODIES = [
  'webhookId',
  'eventId',
  'eventType',
  'status',
  'attempts',
  'lastStatusCode',
  'lastError',
  'nextAttemptAt',
  'createdAt',
  'deliveredAt',
  'requestBody',
  'responseBody',
] as const

/** @throws Problem 404, also for the delivery of another webhook */
async function readDelivery(
  jmap: JmapClient,
  accountId: string,
  params: { readonly webhook_id: string; readonly delivery_id: string },
): Promise<WebhookDeliveryObject> {
  const webhookId = knownId(params.webhook_id, 'webhook')
  const ids = [knownId(params.delivery_id, 'delivery')]
  const { webhooks, found } = await jmap.call({
    webhooks: get('Webhook', { accountId, ids: [webhookId], properties: ['id'] }),
    found: get('WebhookDelivery', { accountId, ids, properties: WITH_BODIES }),
  })
  onlyOne(webhooks, 'webhook')
  const delivery = onlyOne(found, 'delivery')
  if (delivery.webhookId !== webhookId) throw notFound('delivery')
  return delivery
}

function toDelivery(delivery: WebhookDeliveryObject): Infer<typeof Delivery> {
  return {
    object: 'webhook_delivery',
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    last_status_code: delivery.lastStatusCode,
    last_error: delivery.lastError,
    next_attempt_at: instantOrNull(delivery.nextAttemptAt),
    created_at: instant(delivery.createdAt),
    delivered_at: instantOrNull(delivery.deliveredAt),
  }
}
