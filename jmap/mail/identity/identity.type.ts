import { SUBMISSION } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

const addresses = p.list(p.object({ name: p.string().nullable().defaults(null), email: p.string() }))

export const Identity = defineType({
  name: 'Identity',
  capability: SUBMISSION,
  spec: 'RFC 8621 6',
  idKind: 'Identity',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string().defaults(''),
    email: p.string().fixed(),
    replyTo: addresses.nullable().defaults(null),
    bcc: addresses.nullable().defaults(null),
    textSignature: p.string().defaults(''),
    htmlSignature: p.string().defaults(''),
    mayDelete: p.bool().server(),
  },
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
