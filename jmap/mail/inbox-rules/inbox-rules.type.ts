import { RULES_MAX } from '../../../server/base/delivery-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType, objectStorage, SINGLETON_ID } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import type { InboxRule } from './rule.ts'

/** The rules of a mailbox (decision D11), in order. check.ts checks their form. */

export const InboxRules = defineType({
  name: 'InboxRules',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: SINGLETON_ID,
  accounts: 'mailbox',
  storage: objectStorage(),
  methods: ['get', 'set'],
  properties: {
    id: p.id().server().fixed(),
    rules: p.list(p.json<InboxRule, JsonObject>({ type: 'object' }), { maxItems: RULES_MAX }).defaults([]),
  },
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
