import { SERVICE } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

export const Suppression = defineType({
  name: 'Suppression',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'sup',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    email: p.string({ minLength: 1, maxLength: 320 }).fixed(),
    reason: p.oneOf(['hard_bounce', 'complaint', 'manual']).server().fixed(),
    sourceMessageId: p.string().nullable().server().fixed(),
    smtpResponse: p.string().nullable().server().fixed(),
    createdAt: p.utcDate().server().fixed(),
  },
  filters: { beforeId: p.string(), email: p.string(), reason: p.string() },
  sorts: ['createdAt'],
  scopes: { read: 'suppressions:read', write: 'suppressions:write' },
})
