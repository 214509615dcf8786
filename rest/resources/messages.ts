import { MESSAGE_MAX_RECIPIENTS, REST_MESSAGE_BODY_MAX_BYTES } from '../../server/base/limits.ts'
import { answer, endpoint } from '../endpoint.ts'
import { onlyOne, set, updated } from '../jmap-calls.ts'
import { openMailboxOf } from '../mailbox-access.ts'
import { type FieldDetail, invalidFields, Problem } from '../problem.ts'
import {
  array,
  boolean,
  constant,
  type Infer,
  integer,
  map,
  named,
  nullable,
  object,
  optional,
  string,
  timestamp,
  withDefault,
} from '../schema.ts'
import { contentFields, readContent } from '../sending/content.ts'
import { addressesField, oneAddress, readAddresses } from '../sending/recipients.ts'
import { getMessage, type Outgoing, refuseSuppressed, send, showMessages, submissionsOf } from '../sending/send.ts'
import { findSender } from '../sending/sender.ts'
import { inReplyToField, readThreading, referencesField, threadingOf } from '../sending/threading.ts'
import { Message } from '../shapes/message.ts'

const recipients = (description: string) => optional(addressesField(MESSAGE_MAX_RECIPIENTS, description))

const NewMessage = named(
  'NewMessage',
  object({
    from: optional(oneAddress),
    mailbox_id: optional(
      string({ description: 'The sending mailbox, by id or address; with it `from` may be left out.' }),
    ),
    mailbox: optional(string({ description: 'The same as mailbox_id.' })),
    to: recipients('At least one recipient in to, cc and bcc, at most 50 in all.'),
    cc: recipients('Copies.'),
    bcc: recipients('Copies that the others do not see.'),
    ...contentFields,
    in_reply_to: optional(inReplyToField),
    references: optional(referencesField),
    thread_id: optional(string({ description: 'Instead of in_reply_to: answers the latest message of the thread.' })),
    require_tls: withDefault(boolean('Not available yet: must be false.'), false),
    save_to_sent: withDefault(boolean('false keeps no copy in the mailbox.'), true),
    dry_run: withDefault(
      boolean('true checks the message and shows what would be sent; nothing is stored or sent.'),
      false,
    ),
  }),
)

const MessagePreview = named(
  'MessagePreview',
  object({
    object: constant('message_preview'),
    mailbox_id: string({ examples: ['mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'] }),
    from: string({ examples: ['Support <support@example.com>'] }),
    to: array(string({ examples: ['jane@example.org'] })),
    cc: array(string()),
    bcc: array(string()),
    reply_to: array(string()),
    subject: string({ examples: ['Your order'] }),
    text: string(),
    html: nullable(string()),
    headers: map(string()),
    in_reply_to: nullable(array(string())),
    references: nullable(array(string())),
    attachments: array(object({ filename: string(), content_type: string(), size: nullable(integer()) })),
    tags: map(string()),
    scheduled_at: nullable(timestamp()),
    checks: array(object({ key: string({ examples: ['sender'] }), status: constant('pass') })),
  }),
)

export const sendMessage = endpoint({
  method: 'POST',
  path: '/v1/messages',
  operationId: 'sendMessage',
  tag: 'Messages',
  summary: 'Send a message',
  description: 'Counts as one send for each recipient.',
  scope: 'messages:write',
  tier: 'send',
  body: NewMessage,
  bodyLimit: REST_MESSAGE_BODY_MAX_BYTES,
  status: 201,
  response: Message,
  otherResponses: { 200: MessagePreview },
  errors: ['mailbox_access_denied', 'forbidden', 'sending_suspended', 'quota_exceeded', 'invalid_state'],
  async run(input, jmap) {
    const { body } = input
    const details: FieldDetail[] = []
    const to = readAddresses('to', body.to, details)
    const cc = readAddresses('cc', body.cc, details)
    const bcc = readAddresses('bcc', body.bcc, details)
    if (details.length === 0) checkCount(to.length + cc.length + bcc.length, details)
    const content = readContent(body, '', input.now, details)
    const given = readThreading(body, details)
    if (body.require_tls) {
      details.push({ field: 'require_tls', code: 'not_allowed', message: 'require_tls is not available.' })
    }
    if (details.length > 0) throw invalidFields(details)
    const mailbox = body.mailbox_id ?? body.mailbox
    const sender = await findSender(input, jmap, {
      ...(body.from !== undefined && { from: body.from }),
      ...(mailbox !== undefined && { mailbox }),
    })
    const followed = body.thread_id !== undefined && !given.inReplyTo && !given.references
    const threading = followed ? await threadingOf(jmap, sender.mailbox.id, body.thread_id) : given
    const outgoing = { sender, to, cc, bcc, content, threading, saveToSent: body.save_to_sent }
    if (!body.dry_run) return send(jmap, outgoing)
    await refuseSuppressed(jmap, input.organization, outgoing)
    return answer(200, preview(outgoing))
  },
})

export const getMessageById = endpoint({
  method: 'GET',
  path: '/v1/messages/{message_id}',
  operationId: 'getMessage',
  tag: 'Messages',
  summary: 'Get a message with what became of it',
  scope: 'messages:read',
  tier: 'read',
  status: 200,
  response: Message,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { message_id: id } = input.params
    const mailbox = await openMailboxOf(input, jmap, 'Email', id, 'message')
    const { found } = await jmap.call({ found: getMessage(mailbox.id, id) })
    const [message] = await showMessages(jmap, mailbox.id, [onlyOne(found, 'message')])
    return message!
  },
})

export const cancelMessage = endpoint({
  method: 'POST',
  path: '/v1/messages/{message_id}/cancel',
  operationId: 'cancelMessage',
  tag: 'Messages',
  summary: 'Cancel a scheduled message',
  scope: 'messages:write',
  tier: 'write',
  status: 200,
  response: Message,
  errors: ['not_found', 'mailbox_access_denied', 'invalid_state'],
  async run(input, jmap) {
    const { message_id: id } = input.params
    const mailbox = await openMailboxOf(input, jmap, 'Email', id, 'message')
    onlyOne((await jmap.call({ found: getMessage(mailbox.id, id) })).found, 'message')
    const [submission] = await submissionsOf(jmap, mailbox.id, [id])
    if (!submission) throw new Problem('invalid_state', { message: 'The message does not wait to be sent.' })
    // RFC 8621 7.5: undoStatus is the one property of a submission that can be changed.
    const { undone } = await jmap.call({
      undone: set('EmailSubmission', {
        accountId: mailbox.id,
        update: { [submission.id]: { undoStatus: 'canceled' } },
      }),
    })
    updated(undone, submission.id, { what: 'message' })
    const { found } = await jmap.call({ found: getMessage(mailbox.id, id) })
    const [message] = await showMessages(jmap, mailbox.id, [onlyOne(found, 'message')])
    return message!
  },
})

function checkCount(count: number, details: FieldDetail[]): void {
  if (count === 0) details.push({ field: 'to', code: 'required', message: 'Give at least one recipient.' })
  if (count <= MESSAGE_MAX_RECIPIENTS) return
  const message = `A message has at most ${MESSAGE_MAX_RECIPIENTS} recipients in to, cc and bcc.`
  details.push({ field: 'to', code: 'too_long', message })
}

/** D14: the message as it would be sent. All checks that need no attempt have passed, else this were a 422. */
function preview({ sender, to, cc, bcc, content, threading }: Outgoing): Infer<typeof MessagePreview> {
  const headers = Object.entries(content.headers).map(([property, value]) => [property.split(':')[1]!, value.trim()])
  return {
    object: 'message_preview',
    mailbox_id: sender.mailbox.id,
    from: written(sender.from),
    to: to.map(written),
    cc: cc.map(written),
    bcc: bcc.map(written),
    reply_to: content.replyTo.map(written),
    subject: content.subject,
    text: content.text,
    html: content.html,
    headers: Object.fromEntries(headers),
    in_reply_to: threading.inReplyTo,
    references: threading.references,
    attachments: content.attachments.map(({ name, type, source }) => {
      return { filename: name, content_type: type, size: 'bytes' in source ? source.bytes.length : null }
    }),
    tags: content.tags,
    scheduled_at: content.sendAt === null ? null : new Date(content.sendAt).toISOString(),
    checks: ['sender', 'recipients', 'content', 'attachments', 'headers'].map((key) => ({ key, status: 'pass' })),
  }
}

function written({ name, email }: { readonly name: string | null; readonly email: string }): string {
  return name === null ? email : `${name} <${email}>`
}
