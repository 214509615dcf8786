/** `message`: a message in any direction, as threads and sending show it, with its delivery. */
import type { AddressObject, BodyPartObject, EmailObject, SentMessageObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { instant, instantOrNull } from '../schema/timestamps.ts'
import { toSnake } from '../schema/to-snake.ts'
import { downloadPath } from './inbox-message.ts'

const Address = s.named(
  'MessageAddress',
  s.object({ address: s.string({ examples: ['jane@example.org'] }), name: s.nullable(s.string()) }),
)

const Attachment = s.named(
  'MessageAttachment',
  s.object({
    filename: s.nullable(s.string()),
    content_type: s.string({ examples: ['application/pdf'] }),
    size: s.integer(),
    blob_id: s.id('blb_aaaaaaaaayaaaaaaaaaagadotaliy'),
    content_id: s.nullable(s.string()),
    disposition: s.nullable(s.string({ examples: ['attachment'] })),
    download_path: s.string({ description: 'URL of the file, relative to the server.' }),
  }),
)

export const Message = s.resource('Message', 'message', {
  id: s.id('msg_aaaaaaaaayaaaaaaaaaagbnm5hta'),
  mailbox_id: s.id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
  thread_id: s.id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
  subject: s.string({ examples: ['Your order'] }),
  from_address: s.string({ examples: ['support@example.com'] }),
  to_addresses: s.array(Address),
  cc_addresses: s.nullable(s.array(Address)),
  bcc_addresses: s.nullable(s.array(Address)),
  attachments: s.nullable(s.array(Attachment)),
  source: s.string({
    description: '`inbound`, `api`, `smtp`, `jmap`, `import`, `rule`, `calendar` or `newsletter`.',
    examples: ['api'],
  }),
  status: s.string({
    description:
      '`draft`, `scheduled`, `queued`, `sending`, `sent`, `delivered`, `deferred`, `bounced`, `failed`, `complained` or `cancelled`; inbound mail is `delivered`.',
    examples: ['queued'],
  }),
  scheduled_at: s.nullable(s.timestamp('Time of sending of a scheduled message.')),
  recipients: s.nullable(
    s.array(s.object({ address: s.string(), status: s.string(), smtp_reply: s.nullable(s.string()) }), {
      description: 'The state of each recipient of a sent message.',
    }),
  ),
  tags: s.map(s.string()),
  preview: s.string(),
  text: s.nullable(s.string()),
  html: s.nullable(s.string({ description: 'In inbound mail it comes from other people: sanitise it.' })),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

/** The properties that Email/get is asked for. */
export const MESSAGE_PROPERTIES = [
  'id',
  'threadId',
  'subject',
  'from',
  'to',
  'cc',
  'bcc',
  'preview',
  'bodyValues',
  'textBody',
  'htmlBody',
  'attachments',
  'source',
  'deliveryStatus',
  'recipients',
  'createdAt',
  'updatedAt',
  'scheduledAt',
  'tags',
] as const satisfies readonly (keyof EmailObject)[]

export function toMessage(mailboxId: string, email: EmailObject): s.Infer<typeof Message> {
  return toSnake(Message, email, {
    mailbox_id: mailboxId,
    subject: email.subject ?? '',
    from_address: email.from?.[0]?.email ?? '',
    to_addresses: toAddresses(email.to) ?? [],
    cc_addresses: toAddresses(email.cc),
    bcc_addresses: toAddresses(email.bcc),
    attachments: toAttachments(mailboxId, email.attachments),
    ...toDelivery(email),
    text: contentOf(email, email.textBody, 'text/plain'),
    html: contentOf(email, email.htmlBody, 'text/html'),
  })
}

/** A message whose copy in the mailbox is deleted, from the record of its delivery (decision D29). */
export function toSentMessage(record: SentMessageObject): s.Infer<typeof Message> {
  const { email } = record
  return {
    object: 'message',
    id: record.id,
    mailbox_id: record.mailboxId,
    thread_id: record.threadId,
    subject: email?.subject ?? '',
    from_address: email?.from?.[0]?.email ?? '',
    to_addresses: toAddresses(email?.to) ?? [],
    cc_addresses: toAddresses(email?.cc),
    bcc_addresses: toAddresses(email?.bcc),
    attachments: null,
    source: email?.source ?? 'api',
    ...toDelivery(record),
    preview: '',
    text: null,
    html: null,
    created_at: instant(email?.createdAt ?? record.submittedAt),
    updated_at: instant(record.updatedAt),
  }
}

function toAddresses(list: readonly AddressObject[] | null = null): s.Infer<typeof Address>[] | null {
  if (!list || list.length === 0) return null
  return list.map(({ email, name }) => ({ address: email, name }))
}

/** The delivery of a message that was sent; empty for another one. */
function toDelivery(record: Pick<EmailObject, 'deliveryStatus' | 'scheduledAt' | 'recipients' | 'tags'>) {
  const recipients = (record.recipients ?? []).map((recipient) => {
    return { address: recipient.address, status: recipient.status, smtp_reply: recipient.smtpReply ?? null }
  })
  return {
    status: record.deliveryStatus,
    scheduled_at: instantOrNull(record.scheduledAt),
    recipients: recipients.length > 0 ? recipients : null,
    tags: record.tags,
  }
}

function toAttachments(mailboxId: string, parts: readonly BodyPartObject[]): s.Infer<typeof Attachment>[] | null {
  const attachments = parts.flatMap(({ blobId, name, type, size, cid, disposition }) => {
    if (blobId === null) return []
    const download_path = downloadPath(mailboxId, blobId, name)
    return { filename: name, content_type: type, size, blob_id: blobId, content_id: cid, disposition, download_path }
  })
  return attachments.length > 0 ? attachments : null
}

/** The text of all parts of a type, which are shown one after the other (RFC 8621 4.1.4). null: no such part. */
function contentOf(email: EmailObject, parts: readonly BodyPartObject[], type: string): string | null {
  const contents = parts.flatMap((part) => {
    if (part.type !== type || part.partId === null) return []
    return email.bodyValues[part.partId]?.value ?? []
  })
  return contents.length > 0 ? contents.join('\n') : null
}
