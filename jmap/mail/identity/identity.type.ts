import { SUBMISSION } from '../../capabilities.ts'
import { defineType, objectStorage } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { EmailAddress } from '../email/email-address.ts'

const addresses = p.list(EmailAddress).nullable().defaults(null)

export const Identity = defineType({
  name: 'Identity',
  capability: SUBMISSION,
  spec: 'RFC 8621 6',
  idPrefix: 'idn',
  accounts: 'mailbox',
  storage: objectStorage(),
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string().defaults(''),
    email: p.string().fixed(),
    replyTo: addresses,
    bcc: addresses,
    textSignature: p.string().defaults(''),
    htmlSignature: p.string().defaults(''),
    mayDelete: p.bool().server(),
  },
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
