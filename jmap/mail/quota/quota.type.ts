import type { Capability } from '../../type/capability.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** RFC 9425 2.1 */
const QUOTA: Capability = { urn: 'urn:ietf:params:jmap:quota', accounts: 'mailbox' }

export const Quota = defineType({
  name: 'Quota',
  capability: QUOTA,
  spec: 'RFC 9425 4',
  idPrefix: 'obj',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    resourceType: p.oneOf(['count', 'octets']).server().fixed(),
    used: p.uint().server(),
    hardLimit: p.uint().server(),
    scope: p.oneOf(['account', 'domain', 'global']).server().fixed(),
    name: p.string().server().fixed(),
    types: p.list(p.string()).server().fixed(),
    warnLimit: p.uint().nullable().server(),
    softLimit: p.uint().nullable().server(),
    description: p.string().nullable().server(),
  },
  filters: { name: p.string(), scope: p.string(), resourceType: p.string(), type: p.string() },
  sorts: ['name', 'used'],
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
