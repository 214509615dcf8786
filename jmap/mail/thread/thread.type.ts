import { MAIL, SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

export const Thread = defineType({
  name: 'Thread',
  capability: MAIL,
  spec: 'RFC 8621 3',
  idPrefix: 'thr',
  accounts: 'mailbox',
  methods: ['get', 'changes'],
  properties: {
    id: p.id().server().fixed(),
    emailIds: p.ids().server(),
    // Vendor properties for lists of conversations (decision D13).
    subject: p.string().nullable().server().extension(SERVICE),
    messageCount: p.uint().server().extension(SERVICE),
    latestEmailId: p.id().server().extension(SERVICE),
    latestAt: p.utcDate().server().extension(SERVICE),
    createdAt: p.utcDate().server().extension(SERVICE),
  },
  scopes: { read: 'messages:read', write: 'messages:write' },
})
