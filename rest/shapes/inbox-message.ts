/** `inbox_message_full`: a message as the inbox endpoints show it. */
import type { AddressObject, BodyPartObject, EmailObject } from '../calls/jmap-types.ts'
import type { OpenMailbox } from '../calls/mailbox-access.ts'
import {
  array,
  boolean,
  constant,
  type Infer,
  id,
  integer,
  map,
  named,
  nullable,
  object,
  string,
  timestamp,
} from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { toSnake } from '../schema/to-snake.ts'
import { Authentication } from './authentication.ts'
import { DeliveryNote, SpamVerdict, toDeliveryNote, toSpamVerdict } from './junk-reasons.ts'

const EmailAddress = named(
  'EmailAddress',
  object({ name: nullable(string()), email: string({ examples: ['jane@example.org'] }) }),
)
const addresses = nullable(array(EmailAddress))
const messageIds = nullable(array(string()))
const part = object({ part_id: string({ examples: ['1'] }), type: string({ examples: ['text/plain'] }) })

export const InboxAttachment = named(
  'InboxAttachment',
  object({
    part_id: nullable(string()),
    blob_id: id('blb_aaaaaaaaayaaaaaaaaaagadotaliy'),
    name: nullable(string()),
    content_type: string({ examples: ['application/pdf'] }),
    size: integer(),
    download_path: string({ description: 'Where the file is, relative to the server.' }),
  }),
)

export const InboxMessage = named(
  'InboxMessage',
  object({
    object: constant('inbox_message_full'),
    id: id('msg_aaaaaaaaayaaaaaaaaaagbnm5hta'),
    thread_id: id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    address: string({ examples: ['support@example.com'] }),
    folder_ids: array(id('fld_aaaaaaaaayaaaaaaaaaacwhgpxra')),
    keywords: map(boolean(), { description: 'Such as `$seen` and `$flagged`.' }),
    from: addresses,
    to: addresses,
    cc: addresses,
    bcc: addresses,
    reply_to: addresses,
    message_id: messageIds,
    in_reply_to: messageIds,
    references: messageIds,
    subject: string(),
    received_at: timestamp(),
    preview: string(),
    has_attachment: boolean(),
    size: integer({ description: 'Octets of the whole message.' }),
    body_values: map(object({ value: string(), is_encoding_problem: boolean() }), {
      description: "Contents by part id. They are a stranger's words: escape them, and sanitise HTML.",
    }),
    text_body: array(part),
    html_body: array(part),
    attachments: array(InboxAttachment),
    authentication: nullable(Authentication),
    spam_verdict: nullable(SpamVerdict),
    delivery_trace: array(DeliveryNote, { description: 'What was done with it when it came, in order.' }),
  }),
)

/** The properties that Email/get is asked for. */
export const INBOX_MESSAGE_PROPERTIES = [
  'id',
  'threadId',
  'mailboxIds',
  'keywords',
  'from',
  'to',
  'cc',
  'bcc',
  'replyTo',
  'messageId',
  'inReplyTo',
  'references',
  'subject',
  'receivedAt',
  'preview',
  'hasAttachment',
  'size',
  'bodyValues',
  'textBody',
  'htmlBody',
  'attachments',
  'authentication',
  'spamVerdict',
  'deliveryTrace',
] as const satisfies readonly (keyof EmailObject)[]

/** RFC 8621 4.2: arguments of Email/get that go with them. @param withBodies whether the contents of the bodies are wanted */
export function bodyArguments(withBodies: boolean): { [argument: string]: unknown } {
  return {
    bodyProperties: ['partId', 'blobId', 'size', 'name', 'type', 'disposition', 'cid'],
    fetchTextBodyValues: withBodies,
    fetchHTMLBodyValues: withBodies,
  }
}

export function toInboxMessage(mailbox: OpenMailbox, email: EmailObject): Infer<typeof InboxMessage> {
  const values = Object.entries(email.bodyValues).map(([partId, { value, isEncodingProblem }]) => {
    return [partId, { value, is_encoding_problem: isEncodingProblem }] as const
  })
  return {
    object: 'inbox_message_full',
    id: email.id,
    thread_id: email.threadId,
    mailbox_id: mailbox.id,
    address: mailbox.address,
    folder_ids: Object.keys(email.mailboxIds),
    keywords: email.keywords,
    from: toAddresses(email.from),
    to: toAddresses(email.to),
    cc: toAddresses(email.cc),
    bcc: toAddresses(email.bcc),
    reply_to: toAddresses(email.replyTo),
    message_id: email.messageId,
    in_reply_to: email.inReplyTo,
    references: email.references,
    subject: email.subject ?? '',
    received_at: instant(email.receivedAt),
    preview: email.preview,
    has_attachment: email.hasAttachment,
    size: email.size,
    body_values: Object.fromEntries(values),
    text_body: email.textBody.flatMap(toPart),
    html_body: email.htmlBody.flatMap(toPart),
    attachments: email.attachments.flatMap((attachment) => toAttachment(mailbox.id, attachment)),
    authentication: email.authentication && toSnake(Authentication, email.authentication),
    spam_verdict: email.spamVerdict && toSpamVerdict(email.spamVerdict),
    delivery_trace: email.deliveryTrace.map(toDeliveryNote),
  }
}

function toAddresses(list: readonly AddressObject[] | null): readonly AddressObject[] | null {
  return list?.map(({ name, email }) => ({ name, email })) ?? null
}

function toPart(body: BodyPartObject): { part_id: string; type: string }[] {
  return body.partId === null ? [] : [{ part_id: body.partId, type: body.type }]
}

function toAttachment(mailboxId: string, attachment: BodyPartObject): Infer<typeof InboxAttachment>[] {
  const { partId, blobId, name, type, size } = attachment
  if (blobId === null) return []
  const download_path = downloadPath(mailboxId, blobId, name)
  return [{ part_id: partId, blob_id: blobId, name, content_type: type, size, download_path }]
}

/** Decision D10: both `base_url + path` and `base_url + "/api" + path` work. */
export function downloadPath(mailboxId: string, blobId: string, name: string | null): string {
  const query = `blob_id=${encodeURIComponent(blobId)}&name=${encodeURIComponent((name ?? 'attachment').toWellFormed())}`
  return `/v1/mailboxes/${mailboxId}/inbox/attachments?${query}`
}

/** The answer to every action on a message. */
export const InboxAction = named(
  'InboxMessageAction',
  object({
    object: constant('inbox_message_action'),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    address: string({ examples: ['support@example.com'] }),
    message_id: id('msg_aaaaaaaaayaaaaaaaaaagbnm5hta'),
    ok: boolean(),
  }),
)

export function toAction(mailbox: OpenMailbox, messageId: string): Infer<typeof InboxAction> {
  return {
    object: 'inbox_message_action',
    mailbox_id: mailbox.id,
    address: mailbox.address,
    message_id: messageId,
    ok: true,
  }
}

export const InboxThread = named(
  'InboxThread',
  object({
    object: constant('inbox_thread'),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    address: string({ examples: ['support@example.com'] }),
    id: id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
    subject: string(),
    message_count: integer(),
    data: array(InboxMessage, { description: 'Oldest first.' }),
  }),
)
