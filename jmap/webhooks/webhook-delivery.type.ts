import { SERVICE } from '../type/capabilities.ts'
import { defineType } from '../type/define-type.ts'
import { declareMethod } from '../type/method-declaration.ts'
import { p } from '../type/property.ts'
import { WEBHOOK_METHOD, WEBHOOK_SCOPES, WebhookTest } from './webhook.type.ts'

const status = p.oneOf(['pending', 'delivered', 'failed'])

export const WebhookDelivery = defineType({
  name: 'WebhookDelivery',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'whd',
  accounts: 'organization',
  methods: ['get', 'changes', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    webhookId: p.id().server().fixed(),
    eventId: p.id().server().fixed(),
    eventType: p.string().server().fixed(),
    status: status.server(),
    /** Attempts that have ended. */
    attempts: p.uint().server(),
    lastStatusCode: p.uint().nullable().server(),
    lastError: p.string().nullable().server(),
    /** null: no attempt is planned. */
    nextAttemptAt: p.utcDate().nullable().server(),
    createdAt: p.utcDate().server().fixed(),
    deliveredAt: p.utcDate().nullable().server(),
    /** The posted body, and the receiver's response to the last attempt, cut. */
    requestBody: p.string().nullable().server().onRequest(),
    responseBody: p.string().nullable().server().onRequest(),
  },
  filters: { beforeId: p.string(), webhookId: p.id(), status, eventType: p.string() },
  sorts: ['createdAt'],
  scopes: WEBHOOK_SCOPES,
})

/** Delivers the same event in a new delivery. The record of the first delivery stays. */
export const WebhookDeliveryReplay = declareMethod({
  ...WEBHOOK_METHOD,
  name: 'WebhookDelivery/replay',
  args: { webhookId: p.string(), deliveryId: p.string() },
  answer: WebhookTest.answer,
})
