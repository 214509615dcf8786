import { WEBHOOK_DESCRIPTION_MAX_CHARS, WEBHOOK_URL_MAX_CHARS } from '../../../server/base/webhook-limits.ts'
import { SERVICE } from '../../capabilities.ts'
import { EVENT_TYPES } from '../../events/event-types.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

export const WEBHOOK_SCOPES = { read: 'webhooks:read', write: 'webhooks:write' } as const

export const Webhook = defineType({
  name: 'Webhook',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'Webhook',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    url: p.string({ min: 1, max: WEBHOOK_URL_MAX_CHARS }),
    events: p.list(p.oneOf(EVENT_TYPES)),
    active: p.bool().defaults(true),
    description: p.string({ max: WEBHOOK_DESCRIPTION_MAX_CHARS }).nullable().defaults(null),
    /** Until when deliveries are signed with the secret before, too. */
    previousSecretExpiresAt: p.utcDate().nullable().server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string() },
  sorts: ['createdAt'],
  scopes: WEBHOOK_SCOPES,
})
