import { MAIL, SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { bodyPart, bodyValue, DEFAULT_BODY_PROPERTIES } from './body-part.ts'
import { Authentication, DeliveryRecipient, SpamVerdict, TraceNote } from './delivery-properties.ts'
import { EmailAddress } from './email-address.ts'

const addresses = p.list(EmailAddress).nullable().fixed().maybe()
const messageIds = p.list(p.string()).nullable().fixed().maybe()
const bodyParts = p.list(bodyPart).fixed().maybe()

const SORTS = [
  'receivedAt',
  'sentAt',
  'size',
  'from',
  'to',
  'subject',
  'hasKeyword',
  'allInThreadHaveKeyword',
  'someInThreadHaveKeyword',
] as const

export const Email = defineType({
  name: 'Email',
  capability: MAIL,
  spec: 'RFC 8621 4',
  idPrefix: 'msg',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    blobId: p.id().server().fixed(),
    threadId: p.id().server().fixed(),
    mailboxIds: p.idSet(),
    keywords: p.set().defaults({}),
    size: p.uint().server().fixed(),
    receivedAt: p.utcDate().fixed().maybe(),
    messageId: messageIds,
    inReplyTo: messageIds,
    references: messageIds,
    sender: addresses,
    from: addresses,
    to: addresses,
    cc: addresses,
    bcc: addresses,
    replyTo: addresses,
    subject: p.string().nullable().fixed().maybe(),
    sentAt: p.date().nullable().fixed().maybe(),
    hasAttachment: p.bool().server().fixed(),
    preview: p.string().server().fixed(),
    bodyValues: p.map(bodyValue).fixed().maybe(),
    textBody: bodyParts,
    htmlBody: bodyParts,
    attachments: bodyParts,
    // RFC 8621 4.2: these two are not among the default properties.
    bodyStructure: bodyPart.fixed().maybe().onRequest(),
    headers: p
      .list(p.object({ name: p.string(), value: p.string() }))
      .server()
      .fixed()
      .onRequest(),
    // Vendor properties (decision D13).
    source: p.string().server().fixed().extension(SERVICE),
    deliveryStatus: p.string().server().extension(SERVICE),
    recipients: p.list(DeliveryRecipient).server().extension(SERVICE),
    scheduledAt: p.utcDate().nullable().server().extension(SERVICE),
    // Labels of the sender, given to its submission.
    tags: p.map(p.string()).server().extension(SERVICE),
    deliveryTrace: p.list(TraceNote).server().extension(SERVICE),
    spamVerdict: SpamVerdict.nullable().server().fixed().extension(SERVICE),
    authentication: Authentication.nullable().server().fixed().extension(SERVICE),
    createdAt: p.utcDate().server().fixed().extension(SERVICE),
    updatedAt: p.utcDate().server().extension(SERVICE),
  },
  filters: {
    inMailbox: p.id(),
    inMailboxOtherThan: p.ids(),
    before: p.utcDate(),
    after: p.utcDate(),
    minSize: p.uint(),
    maxSize: p.uint(),
    allInThreadHaveKeyword: p.string(),
    someInThreadHaveKeyword: p.string(),
    noneInThreadHaveKeyword: p.string(),
    hasKeyword: p.string(),
    notKeyword: p.string(),
    hasAttachment: p.bool(),
    text: p.string(),
    from: p.string(),
    to: p.string(),
    cc: p.string(),
    bcc: p.string(),
    subject: p.string(),
    body: p.string(),
    // Vendor.
    attachmentName: p.string().extension(SERVICE),
    header: p.json<readonly [name: string, text?: string]>({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 2,
    }),
  },
  sorts: SORTS,
  args: {
    get: {
      bodyProperties: p.list(p.string()).defaults([...DEFAULT_BODY_PROPERTIES]),
      fetchTextBodyValues: p.bool().defaults(false),
      fetchHTMLBodyValues: p.bool().defaults(false),
      fetchAllBodyValues: p.bool().defaults(false),
      maxBodyValueBytes: p.uint().defaults(0),
    },
    query: { collapseThreads: p.bool().defaults(false) },
  },
  ofBlob: ({ emails }) => emails.map(({ id }) => id),
  scopes: { read: 'messages:read', write: 'messages:write' },
  // RFC 8621 1.3.1
  account: ({ services: { limits } }) => ({
    maxMailboxesPerEmail: limits.maxMailboxesPerEmail,
    maxSizeAttachmentsPerEmail: limits.maxSizeAttachmentsPerEmail,
    emailQuerySortOptions: [...SORTS],
  }),
  // RFC 8621 1.5: its state changes with each new email only.
  pushNames: ['EmailDelivery'],
})
