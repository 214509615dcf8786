import { MAIL, SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { declareMethod } from '../../type/method-declaration.ts'
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
  ofBlob: ({ emails }) => emails.map(({ thread }) => thread),
  scopes: { read: 'messages:read', write: 'messages:write' },
})

/** Conversations, the latest first. `olderThan` pages by key, so that mail that arrives between two pages does not shift them. */
export const ThreadQuery = declareMethod({
  name: 'Thread/query',
  capability: SERVICE,
  accounts: 'mailbox',
  scope: Thread.scopes.read,
  writes: false,
  args: {
    filter: p
      .object({ olderThan: p.object({ latestAt: p.utcDate(), id: p.id() }).nullable().maybe() })
      .nullable()
      .defaults(null),
    position: p.uint().defaults(0),
    limit: p.uint().nullable().defaults(null),
    calculateTotal: p.bool().defaults(false),
  },
  answer: {
    queryState: p.string(),
    canCalculateChanges: p.bool(),
    position: p.uint(),
    ids: p.ids(),
    total: p.uint().maybe(),
  },
})
