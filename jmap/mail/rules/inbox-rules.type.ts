import { RULES_MAX } from '../../../server/base/delivery-limits.ts'
import { SERVICE } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** The rules of a mailbox (decision D11), in order; jmap/mail/rules/rule.ts has their shape. */
export const InboxRules = defineType({
  name: 'InboxRules',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'singleton',
  accounts: 'mailbox',
  methods: ['get', 'set'],
  properties: {
    id: p.id().server().fixed(),
    rules: p.json({ type: 'array', items: { type: 'object' }, maxItems: RULES_MAX }).defaults([]),
  },
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
