import type { JsonObject } from '../../../server/base/json.ts'
import { SERVICE, SUBMISSION } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** RFC 8621 7: parameters of an Address of the envelope. */
export const AddressParameters = p.map(p.string().nullable()).nullable().defaults(null)

const address = p.object({ email: p.string({ maxLength: 320 }), parameters: AddressParameters })

const Envelope = p.object({ mailFrom: address, rcptTo: p.list(address) })
export type Envelope = (typeof Envelope)['is']['type']
/** As a client sends it. */
export type GivenEnvelope = (typeof Envelope)['is']['input']

/** RFC 8621 7 */
const DeliveryStatus = p.object({
  smtpReply: p.string(),
  delivered: p.oneOf(['queued', 'yes', 'no', 'unknown']),
  displayed: p.oneOf(['unknown', 'yes']),
})

export const EmailSubmission = defineType({
  name: 'EmailSubmission',
  capability: SUBMISSION,
  spec: 'RFC 8621 7',
  idPrefix: 'sbm',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    identityId: p.id().fixed(),
    emailId: p.id().fixed(),
    threadId: p.id().server().fixed(),
    envelope: Envelope.nullable().defaults(null).fixed(),
    sendAt: p.utcDate().server().fixed(),
    undoStatus: p.oneOf(['pending', 'final', 'canceled']).maybe(),
    deliveryStatus: p.map(DeliveryStatus).nullable().server(),
    dsnBlobIds: p.ids().server(),
    mdnBlobIds: p.ids().server(),
    // Vendor: labels of the sender; tags.ts checks them.
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
        .map(p.json<JsonObject>({ type: 'object' }))
        .nullable()
        .defaults(null),
      onSuccessDestroyEmail: p.list(p.string()).nullable().defaults(null),
    },
  },
  scopes: { read: 'messages:read', write: 'messages:write' },
  // RFC 8621 1.3.2
  account: ({ services: { limits } }) => ({
    maxDelayedSend: limits.maxDelayedSend,
    submissionExtensions: { FUTURERELEASE: [], SIZE: [String(limits.maxSizeMessage)], DSN: [] },
  }),
})
