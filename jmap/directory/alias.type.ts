import { SERVICE } from '../type/capabilities.ts'
import { defineType, objectStorage } from '../type/define-type.ts'
import { p } from '../type/property.ts'

/** Another address of a mailbox, for sending and receiving (decision D16). */
export const Alias = defineType({
  name: 'Alias',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'als',
  accounts: 'organization',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    domainId: p.id().fixed(),
    localPart: p.string().fixed(),
    address: p.string().server().fixed(),
    mailboxId: p.id(),
    enabled: p.bool().defaults(true),
    description: p.string({ maxLength: 500 }).nullable().defaults(null),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), domainId: p.id(), mailboxId: p.id(), address: p.string() },
  sorts: ['address', 'createdAt'],
  invalidates: ['deliverySettings'],
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
