/** Sends messages that are ready by Email/send, and shows each as it was sent. */

import type { Sending, Sent } from '../../jmap/mail/submission/send.type.ts'
import { SentMessageGet } from '../../jmap/mail/submission/sent-message.type.ts'
import { suppressedRecipients } from '../../jmap/protocol/errors.ts'
import type { GivenMembers } from '../../jmap/type/method-declaration.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { call, created, get, idsOf, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { ApiError, notFound, toApiError } from '../errors/api-error.ts'
import { fromSetError } from '../errors/jmap-errors.ts'
import type { EmailSubmissionObject } from '../schema/jmap-types.ts'
import type { Infer } from '../schema/schema.ts'
import { type Message, toMessage, toSentMessage } from '../shapes/message.ts'
import { asAccepted } from './accepted.ts'
import { unknownBlobs, uploadAll } from './attachments.ts'
import type { Outgoing } from './outgoing.ts'
import { type MadeOf, sendRounds } from './rounds.ts'

type Shown = Infer<typeof Message>
type GivenSending = GivenMembers<typeof Sending>

/** Sends a message, or schedules it. @throws ApiError; then nothing was sent and nothing is stored */
export async function send(jmap: JmapClient, organization: string, outgoing: Outgoing): Promise<Shown> {
  const outcomeOf = await sendAll(jmap, organization, [outgoing])
  const outcome = outcomeOf(outgoing)
  if (outcome instanceof ApiError) throw outcome
  return outcome
}

/** Sends each message independently of the others. The result gives, for each, the sent message or the error. */
export async function sendAll(
  jmap: JmapClient,
  organization: string,
  messages: readonly Outgoing[],
): Promise<(outgoing: Outgoing) => Shown | ApiError> {
  const outcomes = new Map<Outgoing, Shown | ApiError>()
  for (const [id, own] of Map.groupBy(messages, ({ sender }) => sender.mailbox.id))
    await sendFrom(jmap, organization, id, own, outcomes)
  return (outgoing) => outcomes.get(outgoing) ?? toApiError(new Error('a message has no outcome'))
}

async function sendFrom(
  jmap: JmapClient,
  organization: string,
  accountId: string,
  messages: readonly Outgoing[],
  outcomes: Map<Outgoing, Shown | ApiError>,
): Promise<void> {
  const ready = new Map<string, { outgoing: Outgoing; create: GivenSending }>()
  for (const [i, outgoing] of messages.entries()) {
    const attachments = await uploadAll(jmap, accountId, outgoing.content.attachments).catch(toApiError)
    if (attachments instanceof ApiError) outcomes.set(outgoing, attachments)
    else ready.set(`m${i}`, { outgoing, create: toSending(outgoing, attachments) })
  }
  const { made, emails } = await sendRounds(jmap, accountId, [...ready], madeOrError)
  for (const [outgoing, one] of made) {
    if (one instanceof ApiError) outcomes.set(outgoing, one)
    else {
      const email = emails.get(one.id)
      outcomes.set(
        outgoing,
        email ? toMessage(accountId, email) : await shownUnsaved(jmap, organization, one, outgoing),
      )
    }
  }
}

function goneMailbox(error: ApiError): ApiError {
  return error.code === 'not_found' ? notFound('mailbox') : error
}

/** @returns the core's result for a sent message */
function madeOrError(sent: Parameters<MadeOf>[0], creationId: string, outgoing: Outgoing): Sent | ApiError {
  if (sent instanceof ApiError) return goneMailbox(sent)
  try {
    const error = sent.notCreated?.[creationId]
    if (error?.type === 'blobNotFound') unknownBlobs(outgoing.content.attachments, error.notFound ?? [])
    return created(sent, creationId, { fields: SENDING_FIELDS, recipients: fieldsOf(outgoing), what: 'mailbox' })
  } catch (error) {
    return toApiError(error)
  }
}

/** A message without a copy in the mailbox: its record, or the client's data if the mailbox is deleted already. */
async function shownUnsaved(jmap: JmapClient, organization: string, made: Sent, outgoing: Outgoing): Promise<Shown> {
  const { record } = await jmap.settle({ record: call(SentMessageGet, { accountId: organization, ids: [made.id] }) })
  const sent = record instanceof ApiError ? undefined : record.list[0]
  const { text, html } = outgoing.content
  return sent ? { ...toSentMessage(sent), text, html } : asAccepted(made, outgoing)
}

/** The request field of each recipient, by address. The server may have chosen those of a reply. */
function fieldsOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const [name, list] of Object.entries({ to, cc, bcc })) {
    for (const [i, { email }] of list.entries()) {
      const key = email.toLowerCase()
      if (!fields.has(key)) fields.set(key, list.length > 1 ? `${name}[${i}]` : name)
    }
  }
  return fields
}

/** For a preview; sending itself refuses suppressed recipients. @throws ApiError that names each of them */
export async function refuseSuppressed(jmap: JmapClient, accountId: string, outgoing: Outgoing): Promise<void> {
  const fields = fieldsOf(outgoing)
  const conditions = [...fields.keys()].map((email) => ({ email }))
  const { found } = await jmap.call({
    matching: query('Suppression', { accountId, filter: { operator: 'OR', conditions } }),
    found: get('Suppression', {
      accountId,
      '#ids': idsOf('matching', 'Suppression'),
      properties: ['id', 'email'],
    }),
  })
  if (found.list.length > 0)
    throw fromSetError(suppressedRecipients(found.list.map(({ email }) => email)), { recipients: fields })
}

/** JMAP property -> request field. */
const SENDING_FIELDS = { bodyValues: 'text', textBody: 'text', htmlBody: 'html', envelope: 'scheduled_at' }

/** The message as Email/send takes it. */
function toSending(outgoing: Outgoing, attachments: readonly JsonObject[]): GivenSending {
  const { content, saveToSent } = outgoing
  return {
    email: { ...toEmail(outgoing), attachments },
    ...envelopeOf(outgoing),
    tags: content.tags,
    saveToSent,
  }
}

function toEmail({ sender, to, cc, bcc, content, threading }: Outgoing): GivenSending['email'] {
  const { subject, text, html, replyTo, headers } = content
  return {
    from: [sender.from],
    ...(to.length > 0 && { to }),
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(replyTo.length > 0 && { replyTo }),
    subject,
    ...(threading.inReplyTo && { inReplyTo: threading.inReplyTo }),
    ...(threading.references && { references: threading.references }),
    textBody: [{ partId: 'text', type: 'text/plain' }],
    ...(html !== null && { htmlBody: [{ partId: 'html', type: 'text/html' }] }),
    bodyValues: { text: { value: text }, ...(html !== null && { html: { value: html } }) },
    ...headers,
  }
}

/** RFC 8621 7: without an envelope the core makes one from the header fields. RFC 4865 4: HOLDUNTIL is a time in UTC. */
function envelopeOf({ sender, to, cc, bcc, content, requireTls }: Outgoing): Pick<GivenSending, 'envelope'> {
  const { sendAt } = content
  const parameters = {
    ...(sendAt !== null && { HOLDUNTIL: new Date(sendAt).toISOString().replace('.000Z', 'Z') }),
    ...(requireTls && { REQUIRETLS: null }),
  }
  if (Object.keys(parameters).length === 0) return {}
  const addresses = new Set([...to, ...cc, ...bcc].map(({ email }) => email))
  const rcptTo = [...addresses].map((email) => ({ email, parameters: null }))
  return { envelope: { mailFrom: { email: sender.from.email, parameters }, rcptTo } }
}

/** The submission of an email that waits to be sent, and the state of EmailSubmission at that time. */
export async function waitingSubmission(
  jmap: JmapClient,
  accountId: string,
  emailId: string,
): Promise<{ readonly submission: EmailSubmissionObject | undefined; readonly state: string }> {
  const { found } = await jmap.call({
    waiting: query('EmailSubmission', { accountId, filter: { emailIds: [emailId], undoStatus: 'pending' } }),
    found: get('EmailSubmission', {
      accountId,
      '#ids': idsOf('waiting', 'EmailSubmission'),
      properties: ['id', 'emailId', 'sendAt', 'undoStatus'],
    }),
  })
  return { submission: found.list[0], state: found.state }
}
