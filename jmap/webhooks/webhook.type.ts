import { WEBHOOK_DESCRIPTION_MAX_CHARS, WEBHOOK_URL_MAX_CHARS } from '../../server/base/webhook-limits.ts'
import { EVENT_TYPES } from '../events/event-types.ts'
import { SERVICE } from '../type/capabilities.ts'
import { defineType, objectStorage } from '../type/define-type.ts'
import type { StoredOf } from '../type/derived.ts'
import { declareMethod } from '../type/method-declaration.ts'
import { p } from '../type/property.ts'

export const WEBHOOK_SCOPES = { read: 'webhooks:read', write: 'webhooks:write' } as const

interface Internal {
  /** Sealed (server/base/keyring.ts), each for its place. Both places of one webhook are the same. */
  readonly secret: string
  readonly previousSecret: string | null
  /** Failed deliveries since the last success. */
  readonly failures: number
  /** Epoch ms of the last mail about failures. */
  readonly noticedAt: number | null
}

export const Webhook = defineType({
  name: 'Webhook',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'wh',
  accounts: 'organization',
  storage: objectStorage<Internal>(),
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    url: p.string({ minLength: 1, maxLength: WEBHOOK_URL_MAX_CHARS }),
    events: p.list(p.oneOf(EVENT_TYPES)),
    active: p.bool().defaults(true),
    description: p.string({ maxLength: WEBHOOK_DESCRIPTION_MAX_CHARS }).nullable().defaults(null),
    /** Until this time deliveries are also signed with the previous secret. */
    previousSecretExpiresAt: p.utcDate().nullable().server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  atCreation: { secret: p.string() },
  filters: { beforeId: p.string() },
  sorts: ['createdAt'],
  scopes: WEBHOOK_SCOPES,
})

/** Common properties of the methods on a webhook. */
export const WEBHOOK_METHOD = {
  capability: SERVICE,
  accounts: 'organization',
  scope: WEBHOOK_SCOPES.write,
  writes: true,
} as const

/** The present secret stays valid for a day. A secret from before that becomes invalid. */
export const WebhookRotateSecret = declareMethod({
  ...WEBHOOK_METHOD,
  name: 'Webhook/rotateSecret',
  args: { webhookId: p.string() },
  answer: { secret: p.string(), previousSecretExpiresAt: p.utcDate() },
})

/** A test is delivered whatever event types the webhook names, and also while the webhook is switched off, so that owners can try it. */
export const WebhookTest = declareMethod({
  ...WEBHOOK_METHOD,
  name: 'Webhook/test',
  args: { webhookId: p.string() },
  answer: { eventId: p.id(), deliveryId: p.id() },
})

export type StoredWebhook = StoredOf<typeof Webhook>
