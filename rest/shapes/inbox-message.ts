/** `inbox_message_full`: a message as the inbox endpoints show it. */

import type { More } from '../calls/jmap-calls.ts'
import { mailboxFields, type OpenMailbox, ofMailbox } from '../calls/mailbox-access.ts'
import type { BodyPartObject, EmailObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'
import { Authentication } from './authentication.ts'
import { DeliveryNote, SpamVerdict, toDeliveryNote, toSpamVerdict } from './junk-reasons.ts'

const EmailAddress = s.named(
  'EmailAddress',
  s.object({ name: s.nullable(s.string()), email: s.string({ examples: ['jane@example.org'] }) }),
)
const addresses = s.nullable(s.array(EmailAddress))
const messageIds = s.nullable(s.array(s.string()))
const part = s.object({ part_id: s.string({ examples: ['1'] }), type: s.string({ examples: ['text/plain'] }) })

export const InboxAttachment = s.named(
  'InboxAttachment',
  s.object({
    part_id: s.nullable(s.string()),
    blob_id: s.id('blb_aaaaaaaaayaaaaaaaaaagadotaliy'),
    name: s.nullable(s.string()),
    content_type: s.string({ examples: ['application/pdf'] }),
    size: s.integer(),
    download_path: s.string({ description: 'URL of the file, relative to the server.' }),
  }),
)

export const InboxMessage = s.resource('InboxMessage', 'inbox_message_full', {
  id: s.id('msg_aaaaaaaaayaaaaaaaaaagbnm5hta'),
  thread_id: s.id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
  ...mailboxFields,
  folder_ids: s.array(s.id('fld_aaaaaaaaayaaaaaaaaaacwhgpxra')),
  keywords: s.map(s.boolean(), { description: 'Such as `$seen` and `$flagged`.' }),
  from: addresses,
  to: addresses,
  cc: addresses,
  bcc: addresses,
  reply_to: addresses,
  message_id: messageIds,
  in_reply_to: messageIds,
  references: messageIds,
  subject: s.string(),
  received_at: s.timestamp(),
  preview: s.string(),
  has_attachment: s.boolean(),
  size: s.integer({ description: 'Octets of the whole message.' }),
  body_values: s.map(s.object({ value: s.string(), is_encoding_problem: s.boolean() }), {
    description: 'Contents by part id. They come from other people: escape them, and sanitise HTML.',
  }),
  text_body: s.array(part),
  html_body: s.array(part),
  attachments: s.array(InboxAttachment),
  authentication: s.nullable(Authentication),
  spam_verdict: s.nullable(SpamVerdict),
  delivery_trace: s.array(DeliveryNote, { description: 'The actions at delivery, in order.' }),
})

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
export function bodyArguments(withBodies: boolean): More<'Email', 'get'> {
  return {
    bodyProperties: ['partId', 'blobId', 'size', 'name', 'type', 'disposition', 'cid'],
    fetchTextBodyValues: withBodies,
    fetchHTMLBodyValues: withBodies,
  }
}

export function toInboxMessage(mailbox: OpenMailbox, email: EmailObject): s.Infer<typeof InboxMessage> {
  const values = Object.entries(email.bodyValues).map(([partId, { value, isEncodingProblem }]) => {
    return [partId, { value, is_encoding_problem: isEncodingProblem }] as const
  })
  return toSnake(InboxMessage, email, {
    ...ofMailbox(mailbox),
    folder_ids: Object.keys(email.mailboxIds),
    subject: email.subject ?? '',
    body_values: Object.fromEntries(values),
    text_body: email.textBody.flatMap(toPart),
    html_body: email.htmlBody.flatMap(toPart),
    attachments: email.attachments.flatMap((attachment) => toAttachment(mailbox.id, attachment)),
    spam_verdict: email.spamVerdict && toSpamVerdict(email.spamVerdict),
    delivery_trace: email.deliveryTrace.map(toDeliveryNote),
  })
}

function toPart(body: BodyPartObject): { part_id: string; type: string }[] {
  return body.partId === null ? [] : [{ part_id: body.partId, type: body.type }]
}

function toAttachment(mailboxId: string, attachment: BodyPartObject): s.Infer<typeof InboxAttachment>[] {
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
export const InboxAction = s.resource('InboxMessageAction', 'inbox_message_action', {
  ...mailboxFields,
  message_id: s.id('msg_aaaaaaaaayaaaaaaaaaagbnm5hta'),
  ok: s.boolean(),
})

export function toAction(mailbox: OpenMailbox, messageId: string): s.Infer<typeof InboxAction> {
  return {
    object: 'inbox_message_action',
    ...ofMailbox(mailbox),
    message_id: messageId,
    ok: true,
  }
}

export const InboxThread = s.resource('InboxThread', 'inbox_thread', {
  ...mailboxFields,
  id: s.id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
  subject: s.string(),
  message_count: s.integer(),
  data: s.array(InboxMessage, { description: 'Oldest first.' }),
})
