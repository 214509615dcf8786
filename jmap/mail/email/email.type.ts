import { MAIL, SERVICE } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** RFC 8621 4.1.2.3 */
const addresses = p.list(p.object({ name: p.string().nullable().defaults(null), email: p.string() }))
/** RFC 8621 4.1.4: an EmailBodyPart; jmap/mail/email/create.ts judges its members. */
const bodyPart = p.json({ type: 'object' })

/** What Email/get returns of a body part unless asked otherwise (RFC 8621 4.2). */
export const DEFAULT_BODY_PROPERTIES = [
  'partId',
  'blobId',
  'size',
  'name',
  'type',
  'charset',
  'disposition',
  'cid',
  'language',
  'location',
] as const
export const BODY_PROPERTIES = [...DEFAULT_BODY_PROPERTIES, 'headers', 'subParts'] as const

export const Email = defineType({
  name: 'Email',
  capability: MAIL,
  spec: 'RFC 8621 4',
  idKind: 'Email',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    blobId: p.id().server().fixed(),
    threadId: p.id().server().fixed(),
    mailboxIds: p.idSet(),
    keywords: p.map(p.json<true>({ const: true })).defaults({}),
    size: p.uint().server().fixed(),
    receivedAt: p.utcDate().fixed().maybe(),
    messageId: p.list(p.string()).nullable().fixed().maybe(),
    inReplyTo: p.list(p.string()).nullable().fixed().maybe(),
    references: p.list(p.string()).nullable().fixed().maybe(),
    sender: addresses.nullable().fixed().maybe(),
    from: addresses.nullable().fixed().maybe(),
    to: addresses.nullable().fixed().maybe(),
    cc: addresses.nullable().fixed().maybe(),
    bcc: addresses.nullable().fixed().maybe(),
    replyTo: addresses.nullable().fixed().maybe(),
    subject: p.string().nullable().fixed().maybe(),
    sentAt: p.date().nullable().fixed().maybe(),
    hasAttachment: p.bool().server().fixed(),
    preview: p.string().server().fixed(),
    bodyValues: p
      .map(p.json({ type: 'object' }))
      .fixed()
      .maybe(),
    textBody: p.list(bodyPart).fixed().maybe(),
    htmlBody: p.list(bodyPart).fixed().maybe(),
    attachments: p.list(bodyPart).fixed().maybe(),
    // RFC 8621 4.2: these two are not among the default properties.
    bodyStructure: bodyPart.fixed().maybe().onRequest(),
    headers: p
      .list(p.json({ type: 'object' }))
      .server()
      .fixed()
      .onRequest(),
    // Vendor properties, told only when asked for by name (decision D13).
    source: p.string().server().fixed().extension(SERVICE),
    deliveryStatus: p.string().server().extension(SERVICE),
    recipients: p
      .list(p.json({ type: 'object' }))
      .server()
      .extension(SERVICE),
    scheduledAt: p.utcDate().nullable().server().extension(SERVICE),
    // Labels of the sender's own, given to its submission.
    tags: p.map(p.string()).server().extension(SERVICE),
    // What delivery found and did: jmap/mail/delivery, jmap/mail/inbound-verdict.ts, jmap/mail/spam/facts.ts have the shapes.
    deliveryTrace: p
      .list(p.json({ type: 'object' }))
      .server()
      .extension(SERVICE),
    spamVerdict: p.json({ type: 'object' }).nullable().server().fixed().extension(SERVICE),
    authentication: p.json({ type: 'object' }).nullable().server().fixed().extension(SERVICE),
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
    header: p.json({ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 }),
  },
  sorts: [
    'receivedAt',
    'sentAt',
    'size',
    'from',
    'to',
    'subject',
    'hasKeyword',
    'allInThreadHaveKeyword',
    'someInThreadHaveKeyword',
  ],
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
  scopes: { read: 'messages:read', write: 'messages:write' },
})
