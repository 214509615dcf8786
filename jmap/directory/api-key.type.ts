import { SERVICE } from '../type/capabilities.ts'
import { defineType, objectStorage } from '../type/define-type.ts'
import { p } from '../type/property.ts'

/** The credential of an integrator's program (decision D5). Its text is returned once, at creation. */
export const ApiKey = defineType({
  name: 'ApiKey',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'key',
  accounts: 'organization',
  storage: objectStorage<{ readonly keyHash: string }>(),
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ minLength: 1, maxLength: 200 }),
    prefix: p.string().server().fixed(),
    scopes: p.list(p.string()),
    mailboxIds: p.ids().nullable().defaults(null),
    domainIds: p.ids().nullable().defaults(null),
    allowedIps: p.list(p.string()).nullable().defaults(null),
    expiresAt: p.utcDate().nullable().defaults(null),
    lastUsedAt: p.utcDate().nullable().server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  atCreation: { key: p.string() },
  filters: { beforeId: p.string() },
  sorts: ['name', 'createdAt'],
  invalidates: ['credentials'],
  scopes: { read: 'api_keys:read', write: 'api_keys:write' },
})
