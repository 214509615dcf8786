/** POST /v1/messages and its batch (decision D14). */
import { MESSAGE_BATCH_MAX, MESSAGE_MAX_RECIPIENTS, REST_MESSAGE_BODY_MAX_BYTES } from '../../server/base/limits.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { Caller } from '../calls/mailbox-access.ts'
import { Answer, endpoint, type Tag } from '../endpoint.ts'
import { ApiError, type FieldDetail, invalid, invalidFields, toApiError } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'
import { contentFields, readContent } from '../sending/content.ts'
import type { Outgoing } from '../sending/outgoing.ts'
import { addressesField, oneAddress, readAddresses } from '../sending/recipients.ts'
import { refuseSuppressed, send, sendAll } from '../sending/send.ts'
import { findSender, type Sender, withIdentity } from '../sending/sender.ts'
import { inReplyToField, readThreading, referencesField, threadingOf } from '../sending/threading.ts'
import { Message } from '../shapes/message.ts'

export const TAG: Tag = { name: 'Messages', description: 'Sending messages, and the state of sent messages.' }

const recipients = (description: string) => s.optional(addressesField(MESSAGE_MAX_RECIPIENTS, description))

export const NewMessage = s.named(
  'NewMessage',
  s.object({
    from: s.optional(oneAddress),
    mailbox_id: s.optional(
      s.string({ description: 'The sending mailbox, by id or address; `from` may then be omitted.' }),
    ),
    mailbox: s.optional(s.string({ description: 'The same as mailbox_id.' })),
    to: recipients('At least one recipient in to, cc and bcc, at most 50 in all.'),
    cc: recipients('Copies.'),
    bcc: recipients('Copies that other recipients do not see.'),
    ...contentFields,
    in_reply_to: s.optional(inReplyToField),
    references: s.optional(referencesField),
    thread_id: s.optional(
      s.string({ description: 'Instead of in_reply_to: replies to the latest message of the thread.' }),
    ),
    require_tls: s.withDefault(
      s.boolean(
        'true: the message is sent over verified TLS only (RFC 8689); it bounces if a server does not support that.',
      ),
      false,
    ),
    save_to_sent: s.withDefault(s.boolean('false stores no copy in the mailbox.'), true),
    dry_run: s.withDefault(
      s.boolean('true checks the message and returns what would be sent; nothing is stored or sent.'),
      false,
    ),
  }),
)

const MessagePreview = s.resource('MessagePreview', 'message_preview', {
  mailbox_id: s.string({ examples: ['mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'] }),
  from: s.string({ examples: ['Support <support@example.com>'] }),
  to: s.array(s.string({ examples: ['jane@example.org'] })),
  cc: s.array(s.string()),
  bcc: s.array(s.string()),
  reply_to: s.array(s.string()),
  subject: s.string({ examples: ['Your order'] }),
  text: s.string(),
  html: s.nullable(s.string()),
  headers: s.map(s.string()),
  in_reply_to: s.nullable(s.array(s.string())),
  references: s.nullable(s.array(s.string())),
  attachments: s.array(s.object({ filename: s.string(), content_type: s.string(), size: s.nullable(s.integer()) })),
  tags: s.map(s.string()),
  scheduled_at: s.nullable(s.timestamp()),
  checks: s.array(s.object({ key: s.string({ examples: ['sender'] }), status: s.constant('pass') })),
})

export const sendMessage = endpoint({
  method: 'POST',
  path: '/v1/messages',
  operationId: 'sendMessage',
  tag: TAG,
  summary: 'Send a message',
  description: 'Counts as one send for each recipient.',
  scope: 'messages:write',
  tier: 'send',
  body: NewMessage,
  bodyExample: {
    from: 'Support <support@example.com>',
    to: ['jane@example.org'],
    subject: 'Your order',
    text: 'It is on its way.',
    tags: { order: '17' },
  },
  bodyLimit: REST_MESSAGE_BODY_MAX_BYTES,
  status: 201,
  response: Message,
  otherResponses: { 200: MessagePreview },
  errors: ['not_found', 'mailbox_access_denied', 'forbidden', 'sending_suspended', 'quota_exceeded', 'invalid_state'],
  async run(input, jmap) {
    const { body, organization } = input
    const outgoing = await prepare(input, jmap, body, new Map())
    if (!body.dry_run) return send(jmap, organization, outgoing)
    const whole = { ...outgoing, sender: await withIdentity(jmap, outgoing.sender) }
    await refuseSuppressed(jmap, organization, whole)
    return new Answer(200, preview(whole))
  },
})

const BatchError = s.named(
  'MessageBatchError',
  s.object({
    type: s.string({ examples: ['validation_error'] }),
    code: s.string({ examples: ['validation_error'] }),
    message: s.string({ examples: ['to is not an address that mail can be sent to.'] }),
    details: s.nullable(s.array(s.map(s.anything()))),
  }),
)

export const sendBatch = endpoint({
  method: 'POST',
  path: '/v1/messages/batch',
  operationId: 'sendBatch',
  tag: TAG,
  summary: 'Send several messages',
  description:
    'Each message is sent or refused independently; `data` has an item for each, in the same order. Counts as one send for each recipient.',
  scope: 'messages:write',
  tier: 'send',
  body: s.object({
    messages: s.array(NewMessage, { minItems: 1, maxItems: MESSAGE_BATCH_MAX, description: 'None with dry_run.' }),
  }),
  bodyExample: {
    messages: [
      { from: 'support@example.com', to: ['jane@example.org'], subject: 'Your order', text: 'It is on its way.' },
      { from: 'support@example.com', to: ['joe@example.org'], subject: 'Your order', text: 'It is on its way.' },
    ],
  },
  bodyLimit: REST_MESSAGE_BODY_MAX_BYTES,
  response: s.resource('MessageBatch', 'message_batch', {
    data: s.array(
      s.object({
        object: s.constant('message_batch_item'),
        index: s.integer({ minimum: 0 }),
        status: s.integer({ description: 'The response if the message were sent alone.', examples: [201] }),
        message: s.nullable(Message),
        error: s.nullable(BatchError),
      }),
    ),
  }),
  // The error is about the whole request only if all its objects are deleted.
  errors: ['not_found'],
  async run(input, jmap) {
    const senders = new Map<string, Promise<Sender>>()
    const prepared: (Outgoing | ApiError)[] = []
    // In sequence: a repeated request must make the same calls in the same order.
    for (const body of input.body.messages) {
      const refused = body.dry_run ? invalid('dry_run', 'not_allowed', 'dry_run is for one message alone.') : null
      prepared.push(refused ?? (await prepare(input, jmap, body, senders).catch(toApiError)))
    }
    const ready = prepared.filter((one): one is Outgoing => !(one instanceof ApiError))
    const outcomeOf = await sendAll(jmap, input.organization, ready)
    const outcomes = prepared.map((one) => (one instanceof ApiError ? one : outcomeOf(one)))
    const failed = outcomes.find((one) => one instanceof ApiError && one.status >= 500)
    if (failed && outcomes.every((one) => one instanceof ApiError)) throw failed
    const batch = { object: 'message_batch' as const, data: outcomes.map(toBatchItem) }
    // With an Idempotency-Key the next request continues with the failed ones.
    return failed ? new Answer(200, batch, { isUnfinished: true }) : batch
  },
})

function toBatchItem(outcome: s.Infer<typeof Message> | ApiError, index: number) {
  const item = { object: 'message_batch_item' as const, index }
  if (!(outcome instanceof ApiError)) return { ...item, status: 201, message: outcome, error: null }
  const { type, code, message, details = null } = outcome.toBody('').error
  return { ...item, status: outcome.status, message: null, error: { type, code, message, details } }
}

/** Checks a message and finds its sender. @param senders those found for earlier messages. @throws ApiError */
async function prepare(
  context: Caller & { readonly now: number },
  jmap: JmapClient,
  body: s.Infer<typeof NewMessage>,
  senders: Map<string, Promise<Sender>>,
): Promise<Outgoing> {
  const details: FieldDetail[] = []
  const to = readAddresses('to', body.to, details)
  const cc = readAddresses('cc', body.cc, details)
  const bcc = readAddresses('bcc', body.bcc, details)
  if (details.length === 0) checkCount(to.length + cc.length + bcc.length, details)
  const content = readContent(body, '', context.now, details)
  const given = readThreading(body, details)
  if (details.length > 0) throw invalidFields(details)
  const mailbox = body.mailbox_id ?? body.mailbox
  const written = { ...(body.from !== undefined && { from: body.from }), ...(mailbox !== undefined && { mailbox }) }
  const key = JSON.stringify(written)
  const known = senders.get(key) ?? findSender(context, jmap, written)
  senders.set(key, known)
  const sender = await known
  const followed = body.thread_id !== undefined && !given.inReplyTo && !given.references
  const threading = followed ? await threadingOf(jmap, sender.mailbox.id, body.thread_id) : given
  const { save_to_sent: saveToSent, require_tls: requireTls } = body
  return { now: context.now, sender, to, cc, bcc, content, threading, saveToSent, requireTls }
}

function checkCount(count: number, details: FieldDetail[]): void {
  if (count === 0) details.push({ field: 'to', code: 'required', message: 'Give at least one recipient.' })
  if (count <= MESSAGE_MAX_RECIPIENTS) return
  const message = `A message has at most ${MESSAGE_MAX_RECIPIENTS} recipients in to, cc and bcc.`
  details.push({ field: 'to', code: 'too_long', message })
}

/** Decision D14: the message as it would be sent. It has passed all checks that need no attempt. */
function preview({ sender, to, cc, bcc, content, threading }: Outgoing): s.Infer<typeof MessagePreview> {
  const headers = Object.entries(content.headers).map(([property, value]) => [property.split(':')[1], value.trim()])
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

export const sendMessageEndpoints = [sendMessage, sendBatch]
