/** From a message that is ready to JMAP: Email/set, then EmailSubmission/set (RFC 8621 7.5), and what became of it. */
import { suppressedRecipients } from '../../jmap/protocol/errors.ts'
import type { EmailAddress } from '../addresses.ts'
import { readFolders } from '../folders.ts'
import { created, get, query, set } from '../jmap-calls.ts'
import type { JmapClient } from '../jmap-client.ts'
import type { EmailObject, EmailSubmissionObject } from '../jmap-types.ts'
import { Problem, type ProblemOptions } from '../problem.ts'
import { type SetErrorRules, setProblem } from '../problems.ts'
import type { Infer } from '../schema.ts'
import { bodyArguments } from '../shapes/inbox-message.ts'
import { MESSAGE_PROPERTIES, type Message, toMessage } from '../shapes/message.ts'
import { type ReadyAttachment, unknownBlobs, uploadAll } from './attachments.ts'
import type { Content } from './content.ts'
import type { Sender } from './sender.ts'
import { tagProperties } from './tags.ts'
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
}

/** Sends, or keeps until its time. @throws Problem; then nothing was sent and nothing is left behind */
export async function send(jmap: JmapClient, outgoing: Outgoing): Promise<Infer<typeof Message>> {
  const { sender, content, saveToSent } = outgoing
  const accountId = sender.mailbox.id
  const folders = await findFolders(jmap, accountId)
  const attachments = await uploadAll(jmap, accountId, content.attachments)
  const emailId = await store(jmap, accountId, content.attachments, {
    ...toEmail(outgoing),
    mailboxIds: { [folders.drafts]: true },
    attachments,
  })
  await submit(jmap, accountId, emailId, folders.sent, outgoing)
  const { found } = await jmap.call({ found: getMessage(accountId, emailId) })
  const [stored] = found.list
  if (!stored) throw new Error('a message that was just sent is not there')
  if (!saveToSent) await jmap.call({ gone: set('Email', { accountId, destroy: [emailId] }) })
  return toMessage(accountId, stored, content.sendAt === null ? null : new Date(content.sendAt).toISOString())
}

async function store(
  jmap: JmapClient,
  accountId: string,
  attachments: readonly ReadyAttachment[],
  email: object,
): Promise<string> {
  const { stored } = await jmap.call({ stored: set('Email', { accountId, create: { email } }) })
  const error = stored.notCreated?.['email']
  if (error?.type === 'blobNotFound') unknownBlobs(attachments, error.notFound ?? [])
  return created(stored, 'email', EMAIL_RULES).id
}

async function submit(
  jmap: JmapClient,
  accountId: string,
  emailId: string,
  sent: string,
  outgoing: Outgoing,
): Promise<void> {
  const submission = { identityId: outgoing.sender.identityId, emailId, ...envelopeOf(outgoing) }
  try {
    const { queued } = await jmap.call({
      queued: set('EmailSubmission', {
        accountId,
        create: { submission },
        onSuccessUpdateEmail: { '#submission': { mailboxIds: { [sent]: true }, 'keywords/$draft': null } },
      }),
    })
    created(queued, 'submission', { recipients: fieldsOf(outgoing) })
  } catch (error) {
    // Nothing half done: a message that was refused must not stay behind as a draft that nobody wrote.
    await jmap.undo(error, { gone: set('Email', { accountId, destroy: [emailId] }) })
    throw error
  }
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

const EMAIL_RULES: SetErrorRules = {
  fields: { bodyValues: 'text', textBody: 'text', htmlBody: 'html', replyTo: 'reply_to' },
}

function toEmail({ sender, to, cc, bcc, content, threading }: Outgoing): object {
  const { subject, text, html, replyTo, headers, tags } = content
  return {
    keywords: { $draft: true, $seen: true },
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
    ...tagProperties(tags),
  }
}

/** RFC 8621 7: without an envelope the server makes it from the fields. RFC 4865 4: HOLDUNTIL is a time in UTC. */
function envelopeOf({ sender, to, cc, bcc, content }: Outgoing): object {
  if (content.sendAt === null) return {}
  const until = new Date(content.sendAt).toISOString().replace('.000Z', 'Z')
  const rcptTo = [...new Set([...to, ...cc, ...bcc].map(({ email }) => email))].map((email) => ({
    email,
    parameters: null,
  }))
  return { envelope: { mailFrom: { email: sender.from.email, parameters: { HOLDUNTIL: until } }, rcptTo } }
}

async function findFolders(jmap: JmapClient, accountId: string): Promise<{ drafts: string; sent: string }> {
  const folders = await readFolders(jmap, accountId)
  const ofRole = (role: string) => folders.find((folder) => folder.role === role)?.id
  const sent = ofRole('sent')
  const options: ProblemOptions = { message: 'The mailbox has no folder for sent mail.' }
  if (sent === undefined) throw new Problem('invalid_state', options)
  return { drafts: ofRole('drafts') ?? sent, sent }
}

/** The call that reads a message as `toMessage` shows it. */
export function getMessage(accountId: string, id: string) {
  return get('Email', { accountId, ids: [id], properties: MESSAGE_PROPERTIES, ...bodyArguments(true) })
}

/** Messages as they are shown, with the time at which those that wait go out. */
export async function showMessages(
  jmap: JmapClient,
  accountId: string,
  emails: readonly EmailObject[],
): Promise<Infer<typeof Message>[]> {
  const waiting = emails.filter((email) => email.deliveryStatus === 'scheduled').map(({ id }) => id)
  const submissions = waiting.length === 0 ? [] : await submissionsOf(jmap, accountId, waiting)
  const times = new Map(submissions.map(({ emailId, sendAt }) => [emailId, sendAt]))
  return emails.map((email) => toMessage(accountId, email, times.get(email.id) ?? null))
}

/** Submissions of emails that have not gone out yet. */
export async function submissionsOf(
  jmap: JmapClient,
  accountId: string,
  emailIds: readonly string[],
): Promise<readonly EmailSubmissionObject[]> {
  const { found } = await jmap.call({
    waiting: query('EmailSubmission', { accountId, filter: { emailIds, undoStatus: 'pending' } }),
    found: get('EmailSubmission', {
      accountId,
      '#ids': { resultOf: 'waiting', name: 'EmailSubmission/query', path: '/ids' },
      properties: ['id', 'emailId', 'sendAt', 'undoStatus'],
    }),
  })
  return found.list
}
