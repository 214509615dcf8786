/** From messages that are ready to JMAP: Email/send, and what became of each. */
import { suppressedRecipients } from '../../jmap/protocol/errors.ts'
import { created, get, getSent, query, type SetAnswer, sendEmails } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { EmailObject, EmailSubmissionObject } from '../calls/jmap-types.ts'
import { Problem } from '../errors/api-error.ts'
import { type SetErrorRules, setProblem } from '../errors/jmap-errors.ts'
import { toProblem } from '../errors/to-problem.ts'
import type { EmailAddress } from '../schema/addresses.ts'
import type { Infer } from '../schema/schema.ts'
import { bodyArguments } from '../shapes/inbox-message.ts'
import { MESSAGE_PROPERTIES, type Message, toMessage } from '../shapes/message.ts'
import { toSentMessage } from '../shapes/sent-message.ts'
import { unknownBlobs, uploadAll } from './attachments.ts'
import type { Content } from './content.ts'
import type { Sender } from './sender.ts'
import type { Threading } from './threading.ts'

export interface Outgoing {
  readonly sender: Sender
  readonly to: readonly EmailAddress[]
  readonly cc: readonly EmailAddress[]
  readonly bcc: readonly EmailAddress[]
  readonly content: Content
  readonly threading: Threading
  /** Whether the mailbox keeps it. */
  readonly saveToSent: boolean
  /** RFC 8689 */
  readonly requireTls: boolean
}

type Shown = Infer<typeof Message>

/** Sends, or keeps until its time. @throws Problem; then nothing was sent and nothing is left behind */
export async function send(jmap: JmapClient, organization: string, outgoing: Outgoing): Promise<Shown> {
  const [outcome] = await sendAll(jmap, organization, [outgoing])
  if (outcome instanceof Problem) throw outcome
  return outcome!
}

/** Each for itself, in order: the message, or why it was not sent. */
export async function sendAll(
  jmap: JmapClient,
  organization: string,
  messages: readonly Outgoing[],
): Promise<(Shown | Problem)[]> {
  const outcomes = new Map<Outgoing, Shown | Problem>()
  const mailboxes = new Set(messages.map(({ sender }) => sender.mailbox.id))
  for (const id of mailboxes) {
    const own = messages.filter(({ sender }) => sender.mailbox.id === id)
    await sendFrom(jmap, organization, id, own, outcomes)
  }
  return messages.map((message) => outcomes.get(message)!)
}

async function sendFrom(
  jmap: JmapClient,
  organization: string,
  accountId: string,
  messages: readonly Outgoing[],
  outcomes: Map<Outgoing, Shown | Problem>,
): Promise<void> {
  const ready = new Map<string, { outgoing: Outgoing; create: object }>()
  for (const [i, outgoing] of messages.entries()) {
    const attachments = await uploadAll(jmap, accountId, outgoing.content.attachments).catch(toProblem)
    if (attachments instanceof Problem) outcomes.set(outgoing, attachments)
    else ready.set(`m${i}`, { outgoing, create: toSending(outgoing, attachments) })
  }
  if (ready.size === 0) return
  const { sent, found } = await jmap.call({
    sent: sendEmails({ accountId, create: Object.fromEntries([...ready].map(([id, { create }]) => [id, create])) }),
    found: getMessages(
      accountId,
      [...ready.keys()].map((id) => `#${id}`),
    ),
  })
  const emails = new Map(found.list.map((email) => [email.id, email]))
  for (const [creationId, { outgoing }] of ready) {
    const id = idOrProblem(sent, creationId, outgoing)
    if (id instanceof Problem) outcomes.set(outgoing, id)
    else {
      const email = emails.get(id)
      outcomes.set(outgoing, email ? toMessage(accountId, email) : await shownUnsaved(jmap, organization, id, outgoing))
    }
  }
}

function idOrProblem(sent: SetAnswer<EmailObject>, creationId: string, outgoing: Outgoing): string | Problem {
  try {
    const error = sent.notCreated?.[creationId]
    if (error?.type === 'blobNotFound') unknownBlobs(outgoing.content.attachments, error.notFound ?? [])
    return created(sent, creationId, { ...SENDING_RULES, recipients: fieldsOf(outgoing) }).id
  } catch (error) {
    return toProblem(error)
  }
}

/** A message of which no copy was kept: its record, and what the client sent. */
async function shownUnsaved(jmap: JmapClient, organization: string, id: string, outgoing: Outgoing): Promise<Shown> {
  const { record } = await jmap.call({ record: getSent({ accountId: organization, ids: [id] }) })
  const [sent] = record.list
  if (!sent) throw new Error('a message that was just sent has no record')
  const { text, html } = outgoing.content
  return { ...toSentMessage(sent), text, html }
}

/** Where the client wrote each recipient; the fields of a reply may be filled in for it. */
export function fieldsOf({ to, cc, bcc }: Pick<Outgoing, 'to' | 'cc' | 'bcc'>): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const [name, list] of Object.entries({ to, cc, bcc })) {
    for (const [i, { email }] of list.entries()) {
      const key = email.toLowerCase()
      if (!fields.has(key)) fields.set(key, list.length > 1 ? `${name}[${i}]` : name)
    }
  }
  return fields
}

/** For a message that is only looked at; sending asks by itself. @throws Problem naming each suppressed recipient */
export async function refuseSuppressed(jmap: JmapClient, accountId: string, outgoing: Outgoing): Promise<void> {
  const fields = fieldsOf(outgoing)
  const conditions = [...fields.keys()].map((email) => ({ email }))
  const { found } = await jmap.call({
    matching: query('Suppression', { accountId, filter: { operator: 'OR', conditions } }),
    found: get('Suppression', {
      accountId,
      '#ids': { resultOf: 'matching', name: 'Suppression/query', path: '/ids' },
      properties: ['id', 'email'],
    }),
  })
  if (found.list.length > 0)
    throw setProblem(suppressedRecipients(found.list.map(({ email }) => email)), { recipients: fields })
}

const SENDING_RULES: SetErrorRules = {
  fields: { bodyValues: 'text', textBody: 'text', htmlBody: 'html', replyTo: 'reply_to', envelope: 'scheduled_at' },
}

/** What Email/send takes. */
function toSending(outgoing: Outgoing, attachments: readonly object[]): object {
  const { content, saveToSent } = outgoing
  return {
    email: { ...toEmail(outgoing), attachments },
    ...envelopeOf(outgoing),
    tags: content.tags,
    saveToSent,
  }
}

function toEmail({ sender, to, cc, bcc, content, threading }: Outgoing): object {
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

/** RFC 8621 7: without an envelope the server makes it from the fields. RFC 4865 4: HOLDUNTIL is a time in UTC. */
function envelopeOf({ sender, to, cc, bcc, content, requireTls }: Outgoing): object {
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

/** The call that reads messages as `toMessage` shows them. */
export function getMessages(accountId: string, ids: readonly string[]) {
  return get('Email', { accountId, ids, properties: MESSAGE_PROPERTIES, ...bodyArguments(true) })
}

export function getMessage(accountId: string, id: string) {
  return getMessages(accountId, [id])
}

/** Submissions of an email that has not gone out yet. */
export async function waitingSubmission(
  jmap: JmapClient,
  accountId: string,
  emailId: string,
): Promise<EmailSubmissionObject | undefined> {
  const { found } = await jmap.call({
    waiting: query('EmailSubmission', { accountId, filter: { emailIds: [emailId], undoStatus: 'pending' } }),
    found: get('EmailSubmission', {
      accountId,
      '#ids': { resultOf: 'waiting', name: 'EmailSubmission/query', path: '/ids' },
      properties: ['id', 'emailId', 'sendAt', 'undoStatus'],
    }),
  })
  return found.list[0]
}
