import { WebhookDeliveryReplay } from '../../jmap/webhooks/webhook-delivery.type.ts'
import { knownId } from '../access/ids.ts'
import { call, get, onlyOne } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { endpoint } from '../endpoint.ts'
import { ApiError, notFound } from '../errors/api-error.ts'
import { WEBHOOK_EVENT_TYPES } from '../openapi/webhook-events.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import type { WebhookDeliveryObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'
import { inactive, requireActive, TAG, webhooks } from './webhooks.ts'

const STATUSES = ['pending', 'delivered', 'failed'] as const

const fields = {
  id: s.id('whd_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  webhook_id: s.id('wh_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  event_id: s.id('evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq', 'The same at every attempt and every replay.'),
  event_type: s.string({ examples: ['message.received'] }),
  status: s.oneOf(STATUSES, '`pending` until it is delivered, or has failed finally.'),
  attempts: s.integer({ description: 'Completed attempts, up to 5.' }),
  last_status_code: s.nullable(s.integer({ examples: [204] })),
  last_error: s.nullable(s.string({ examples: ['the receiver answered 500'] })),
  next_attempt_at: s.nullable(s.timestamp()),
  created_at: s.timestamp(),
  delivered_at: s.nullable(s.timestamp()),
}

const Delivery = s.resource('WebhookDelivery', 'webhook_delivery', fields)

const DeliveryDetail = s.resource('WebhookDeliveryDetail', 'webhook_delivery', {
  ...fields,
  request_body: s.nullable(
    s.string({
      description: 'The posted text: the envelope of the event.',
      examples: ['{"event_id":"evt_aaaaaaaaaeaaaaaaaaaaipjaxmoq","event_type":"message.received","data":{}}'],
    }),
  ),
  response_body: s.nullable(
    s.string({ description: 'The beginning of the response to the last attempt, up to 4,096 octets.' }),
  ),
})

const objects = new OrganizationObjects({
  type: 'WebhookDelivery',
  what: 'delivery',
  show: (delivery) => toSnake(Delivery, delivery),
})

export const listWebhookDeliveries = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries',
  operationId: 'listWebhookDeliveries',
  tag: TAG,
  summary: "List a webhook's deliveries, newest first",
  description: 'Deliveries are kept for 30 days.',
  scope: 'webhooks:read',
  query: s.object({
    status: s.optional(s.oneOf(STATUSES)),
    event_type: s.optional(s.oneOf(WEBHOOK_EVENT_TYPES)),
    ...pageQuery,
  }),
  response: cursorPage(Delivery),
  errors: ['not_found'],
  async run(input, jmap) {
    const { id: webhookId } = await webhooks.read(jmap, input.organization, input.params.webhook_id)
    return objects.list(input, jmap, {
      list: `deliveries of ${webhookId}`,
      filters: { status: input.query.status, event_type: input.query.event_type },
      filter: (filters) => ({ webhookId, ...toCamel(filters, ['status', 'event_type']) }),
    })
  },
})

export const getWebhookDelivery = endpoint({
  method: 'GET',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
  operationId: 'getWebhookDelivery',
  tag: TAG,
  summary: 'Get a delivery with its request and response',
  description: 'The posted body, and the beginning of the response to the last attempt.',
  scope: 'webhooks:read',
  response: DeliveryDetail,
  errors: ['not_found'],
  async run({ params, organization }, jmap) {
    const delivery = await readDelivery(jmap, organization, params)
    return toSnake(DeliveryDetail, delivery)
  },
})

export const replayWebhookDelivery = endpoint({
  method: 'POST',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
  operationId: 'replayWebhookDelivery',
  tag: TAG,
  summary: 'Repeat a delivery',
  description: 'Creates a new delivery of the same event, with the same `event_id`.',
  scope: 'webhooks:write',
  status: 202,
  response: Delivery,
  errors: ['not_found', 'invalid_state'],
  async run({ params, organization: accountId }, jmap) {
    const { id: deliveryId } = await readDelivery(jmap, accountId, params)
    const webhook = await webhooks.read(jmap, accountId, params.webhook_id)
    requireActive(webhook)
    const replay = call(WebhookDeliveryReplay, { accountId, webhookId: webhook.id, deliveryId })
    const { made } = await jmap.call({ made: replay }).catch((error: unknown) => {
      // Switched off since it was read.
      throw error instanceof ApiError && error.code === 'forbidden' ? inactive() : error
    })
    return objects.read(jmap, accountId, made.deliveryId)
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

/** @throws ApiError 404, also for the delivery of another webhook */
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

export const webhookDeliveryEndpoints = [listWebhookDeliveries, getWebhookDelivery, replayWebhookDelivery]
