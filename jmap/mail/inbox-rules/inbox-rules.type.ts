import { RULES_MAX } from '../../../server/base/delivery-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType, objectStorage, SINGLETON_ID } from '../../type/define-type.ts'
import { declareMethod } from '../../type/method-declaration.ts'
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
  invalidates: ['deliverySettings'],
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})

/** What rules would do with an email if it arrived now, without doing it. */
export const InboxRulesTest = declareMethod({
  name: 'InboxRules/test',
  capability: SERVICE,
  accounts: 'mailbox',
  // Conditions reveal content of the message, so the scope is that of reading messages.
  scope: 'messages:read',
  writes: false,
  weight: 'much',
  args: {
    emailId: p.id(),
    /** null: those of the mailbox. */
    rules: p
      .json<readonly InboxRule[] | null, readonly JsonObject[] | null>({
        type: ['array', 'null'],
        items: { type: 'object' },
      })
      .defaults(null),
  },
  answer: {
    /** Ids of the rules whose conditions it meets, in order. */
    matched: p.list(p.string()),
    /** Its targets. */
    mailboxIds: p.idSet(),
    /** The keywords that it would get. */
    keywords: p.set(),
  },
})
