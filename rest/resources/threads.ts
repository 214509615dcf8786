import { ThreadQuery } from '../../jmap/mail/thread/thread.type.ts'
import { replySubject } from '../../jmap/message/reply-subject.ts'
import { REPLY_MAX_BCC, REPLY_MAX_RECIPIENTS, REST_MESSAGE_BODY_MAX_BYTES } from '../../server/base/limits.ts'
import { call, emailIdsOf, type GetAnswer, get, idsOf, inOrder, onlyOne } from '../calls/jmap-calls.ts'
import { accountOf, inMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { type FieldDetail, invalidFields, notFound } from '../errors/api-error.ts'
import { closePage, cursorPage, openPage, type Page, pageQuery } from '../pagination/pages.ts'
import type { EmailObject, ThreadObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { toSnake } from '../schema/to-snake.ts'
import { contentFields, readContent } from '../sending/content.ts'
import { addressesField, oneAddress, readAddresses } from '../sending/recipients.ts'
import { replyRecipients, replySenders } from '../sending/reply.ts'
import { send } from '../sending/send.ts'
import { findSender, replySender } from '../sending/sender.ts'
import { answerTo, latestOf } from '../sending/threading.ts'
import { bodyArguments } from '../shapes/inbox-message.ts'
import { MESSAGE_PROPERTIES, Message, toMessage } from '../shapes/message.ts'

const TAG: Tag = { name: 'Threads', description: 'Conversations, and replies to them.' }

const Thread = s.resource('Thread', 'thread', {
  id: s.id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
  mailbox_id: s.id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
  subject: s.string({ examples: ['Your order'] }),
  message_count: s.integer(),
  latest_message: Message,
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

/** The place of a thread in the list, which is in the order of the latest messages. */
interface ThreadPlace {
  readonly latestAt: string
  readonly id: string
}

export const listThreads = endpoint({
  method: 'GET',
  path: '/v1/threads',
  operationId: 'listThreads',
  tag: TAG,
  summary: "List a mailbox's threads, by their latest message",
  description: 'The thread with the newest message first.',
  scope: 'threads:read',
  query: s.object({ mailbox_id: s.string({ minLength: 1 }), ...pageQuery }),
  response: cursorPage(Thread),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { id: accountId } = await openMailbox(input, jmap, input.query.mailbox_id)
    const page = openPage<ThreadPlace>(input, 'threads', { mailbox_id: accountId })
    const filter = page.after === null ? null : { olderThan: page.after }
    const { matching, threads, latest } = await jmap.call({
      matching: call(ThreadQuery, { accountId, filter, limit: page.fetch }),
      threads: get('Thread', { accountId, '#ids': idsOf('matching', 'Thread'), properties: THREAD_PROPERTIES }),
      latest: get(
        'Email',
        {
          accountId,
          '#ids': { resultOf: 'threads', name: 'Thread/get', path: '/list/*/latestEmailId' },
          properties: MESSAGE_PROPERTIES,
        },
        bodyArguments(true),
      ),
    })
    const emails = new Map(latest.list.map((email) => [email.id, email]))
    const list = threads.list.flatMap((thread) => {
      const email = emails.get(thread.latestEmailId)
      // A thread without it: its latest message was removed during this request.
      return email ? [{ ...thread, email }] : []
    })
    const placeOf = ({ latestAt, id }: ThreadObject) => ({ latestAt, id })
    return closePage(page, { ids: matching.ids, list }, placeOf, ({ email, ...thread }) => {
      return toThread(thread, toMessage(accountId, email))
    })
  },
})

export const getThread = endpoint({
  method: 'GET',
  path: '/v1/threads/{thread_id}',
  operationId: 'getThread',
  tag: TAG,
  summary: "List a thread's messages, newest first",
  description: 'With their texts and the delivery state of sent messages.',
  scope: 'threads:read',
  query: s.object(pageQuery),
  response: cursorPage(Message),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const threadId = input.params.thread_id
    const accountId = accountOf(input, 'Thread', threadId, 'thread')
    const { threads, found: places } = await inMailbox(
      input,
      jmap,
      accountId,
      (account) => threadCalls(account, threadId, ['id', 'receivedAt']),
      'thread',
    )
    const page = openPage<MessagePlace>(input, 'thread', { thread_id: threadId })
    const emails = newestFirst(threads, places)
    const ids = pageOf(emails, page)
    const { found } = await jmap.call({
      found: get('Email', { accountId, ids, properties: MESSAGE_PROPERTIES }, bodyArguments(true)),
    })
    const whole = new Map(found.list.map((email) => [email.id, email]))
    const list = emails.filter(({ id }) => whole.has(id))
    const placeOf = ({ id, receivedAt }: EmailObject) => ({ id, receivedAt })
    return closePage(page, { ids, list }, placeOf, (email) => toMessage(accountId, whole.get(email.id) ?? email))
  },
})

const recipients = (max: number, description: string) => s.optional(addressesField(max, description))

export const replyToThread = endpoint({
  method: 'POST',
  path: '/v1/threads/{thread_id}/reply',
  operationId: 'replyToThread',
  tag: TAG,
  summary: 'Reply to a thread',
  description:
    "Sends from the thread's mailbox, by default to the sender of the latest message received, and from the address of the mailbox that this message was sent to.",
  scope: 'messages:write',
  tier: 'send',
  body: s.named(
    'NewReply',
    s.object({
      to: recipients(REPLY_MAX_RECIPIENTS, 'Instead of the default; at most 50 in to and cc.'),
      cc: recipients(REPLY_MAX_RECIPIENTS, 'Copies.'),
      bcc: recipients(REPLY_MAX_BCC, 'Copies that the others do not see.'),
      from: s.optional(oneAddress),
      reply_all: s.withDefault(s.boolean('true adds the other recipients of the message that is answered.'), false),
      ...contentFields,
    }),
  ),
  bodyExample: { text: 'Thank you. We will see to it.' },
  bodyLimit: REST_MESSAGE_BODY_MAX_BYTES,
  status: 201,
  response: Message,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden', 'sending_suspended', 'quota_exceeded', 'invalid_state'],
  async run(input, jmap) {
    const { body } = input
    const details: FieldDetail[] = []
    const given = {
      to: body.to === undefined ? null : readAddresses('to', body.to, details),
      cc: readAddresses('cc', body.cc, details),
      bcc: readAddresses('bcc', body.bcc, details),
    }
    const content = readContent(body, '', input.now, details)
    if (details.length > 0) throw invalidFields(details)
    const threadId = input.params.thread_id
    const { mailbox, threads, found, identities } = await inMailbox(
      input,
      jmap,
      accountOf(input, 'Thread', threadId, 'thread'),
      (account) => ({
        ...threadCalls(account, threadId, ANSWER_PROPERTIES),
        identities: get('Identity', { accountId: account, ids: null, properties: ['id', 'email'] }),
      }),
      'thread',
    )
    const emails = newestFirst(threads, found)
    const latest = latestOf(emails)
    if (!latest) throw notFound('thread')
    const own = identities.list.map(({ email }) => email)
    const sender =
      body.from === undefined
        ? await replySender(input, jmap, mailbox, own, replySenders(emails, own))
        : await findSender(input, jmap, { from: body.from, mailbox: mailbox.id })
    const { to, cc } = replyRecipients(emails, [...own, sender.from.email], given, body.reply_all)
    const subject = body.subject ?? replySubject(latest.subject)
    return send(jmap, input.organization, {
      now: input.now,
      sender,
      to,
      cc,
      bcc: given.bcc,
      content: { ...content, subject },
      threading: answerTo(latest),
      saveToSent: true,
      requireTls: false,
    })
  },
})

const THREAD_PROPERTIES = [
  'id',
  'subject',
  'latestEmailId',
  'createdAt',
  'latestAt',
  'messageCount',
] as const satisfies readonly (keyof ThreadObject)[]

/** What paging through a thread and answering it need of its messages. */
const ANSWER_PROPERTIES = [
  'id',
  'receivedAt',
  'source',
  'from',
  'to',
  'cc',
  'replyTo',
  'subject',
  'messageId',
  'inReplyTo',
  'references',
] as const satisfies readonly (keyof EmailObject)[]

/** A thread and its messages without their bodies. */
function threadCalls(accountId: string, threadId: string, properties: readonly (keyof EmailObject)[]) {
  return {
    threads: get('Thread', { accountId, ids: [threadId], properties: ['id', 'emailIds'] }),
    found: get('Email', { accountId, '#ids': emailIdsOf('threads'), properties }),
  }
}

/** RFC 8621 3: the ids of a thread are oldest first. @throws ApiError 404 */
function newestFirst(threads: GetAnswer<ThreadObject>, found: GetAnswer<EmailObject>): readonly EmailObject[] {
  return inOrder([...onlyOne(threads, 'thread').emailIds].reverse(), found.list)
}

/** The place of a message in a thread. If the message is removed before the next page, its time still gives the place. */
interface MessagePlace {
  readonly id: string
  readonly receivedAt: string
}

function pageOf(emails: readonly EmailObject[], { after, fetch }: Page<MessagePlace>): string[] {
  if (after === null) return emails.slice(0, fetch).map(({ id }) => id)
  const at = emails.findIndex(({ id }) => id === after.id)
  const rest = at >= 0 ? emails.slice(at + 1) : emails.filter(({ receivedAt }) => receivedAt < after.receivedAt)
  return rest.slice(0, fetch).map(({ id }) => id)
}

function toThread(thread: ThreadObject, latest: s.Infer<typeof Message>): s.Infer<typeof Thread> {
  return toSnake(Thread, thread, {
    mailbox_id: latest.mailbox_id,
    subject: thread.subject ?? '',
    latest_message: latest,
    updated_at: instant(thread.latestAt),
  })
}

export const threadEndpoints = [listThreads, getThread, replyToThread]
