import { MAIL } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

export const Thread = defineType({
  name: 'Thread',
  capability: MAIL,
  spec: 'RFC 8621 3',
  idKind: 'Thread',
  accounts: 'mailbox',
  methods: ['get', 'changes'],
  properties: {
    id: p.id().server().fixed(),
    emailIds: p.ids().server(),
    // Vendor properties, told only when asked for by name: what a list of conversations shows (api/decisions.md D13).
    subject: p.string().nullable().server().onRequest(),
    messageCount: p.uint().server().onRequest(),
    latestEmailId: p.id().server().onRequest(),
    latestAt: p.utcDate().server().onRequest(),
    createdAt: p.utcDate().server().onRequest(),
  },
  scopes: { read: 'messages:read', write: 'messages:write' },
})
