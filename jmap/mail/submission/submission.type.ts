import { SERVICE, SUBMISSION } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** RFC 8621 7: an Address of the envelope. */
const address = p.object({
  email: p.string({ max: 320 }),
  parameters: p.map(p.string().nullable()).nullable().defaults(null),
})

export const EmailSubmission = defineType({
  name: 'EmailSubmission',
  capability: SUBMISSION,
  spec: 'RFC 8621 7',
  idKind: 'EmailSubmission',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    identityId: p.id().fixed(),
    emailId: p.id().fixed(),
    threadId: p.id().server().fixed(),
    envelope: p
      .object({ mailFrom: address, rcptTo: p.list(address) })
      .nullable()
      .defaults(null)
      .fixed(),
    sendAt: p.utcDate().server().fixed(),
    undoStatus: p.oneOf(['pending', 'final', 'canceled']).maybe(),
    deliveryStatus: p.json({ type: ['object', 'null'] }).server(),
    dsnBlobIds: p.ids().server(),
    mdnBlobIds: p.ids().server(),
    // Vendor: labels of the sender's own; jmap/mail/submission/tags.ts judges them.
    tags: p.map(p.string()).defaults({}).fixed().extension(SERVICE),
  },
  filters: {
    identityIds: p.ids(),
    emailIds: p.ids(),
    threadIds: p.ids(),
    undoStatus: p.string(),
    before: p.utcDate(),
    after: p.utcDate(),
  },
  sorts: ['emailId', 'threadId', 'sentAt', 'sendAt'],
  args: {
    set: {
      onSuccessUpdateEmail: p
        .map(p.json({ type: 'object' }))
        .nullable()
        .defaults(null),
      onSuccessDestroyEmail: p.list(p.string()).nullable().defaults(null),
    },
  },
  scopes: { read: 'messages:read', write: 'messages:write' },
})
