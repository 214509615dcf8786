import { replySubject } from '../../jmap/mail/message/reply-subject.ts'
import { REPLY_MAX_BCC, REPLY_MAX_RECIPIENTS, REST_MESSAGE_BODY_MAX_BYTES } from '../../server/base/limits.ts'
import { endpoint } from '../endpoint.ts'
import { type GetAnswer, get, idsOf, inOrder, onlyOne, query } from '../jmap-calls.ts'
import type { EmailObject, ThreadObject } from '../jmap-types.ts'
import { accountOf, inMailbox, openMailbox } from '../mailbox-access.ts'
import { askFor, closePage, cursorPage, openPage, type PageRequest, pageQuery } from '../pagination.ts'
import { type FieldDetail, invalidFields, notFound } from '../problem.ts'
import {
  boolean,
  constant,
  type Infer,
  integer,
  named,
  object,
  optional,
  string,
  timestamp,
  withDefault,
} from '../schema.ts'
import { contentFields, readContent } from '../sending/content.ts'
import { addressesField, readAddresses } from '../sending/recipients.ts'
import { replyRecipients } from '../sending/reply.ts'
import { send } from '../sending/send.ts'
import { answerTo, latestOf } from '../sending/threading.ts'
import { id } from '../shapes/common.ts'
import { bodyArguments } from '../shapes/inbox-message.ts'
import { MESSAGE_PROPERTIES, Message, toMessage } from '../shapes/message.ts'
import { instant } from '../timestamps.ts'

const Thread = named(
  'Thread',
  object({
    object: constant('thread'),
    id: id('thr_aaaaaaaaayaaaaaaaaaagcgjr7sa'),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    subject: string({ examples: ['Your order'] }),
    message_count: integer(),
    latest_message: Message,
    created_at: timestamp(),
    updated_at: timestamp(),
  }),
)

/** Where a page of threads ended: they are in the order of their latest messages. */
interface ThreadPlace {
  readonly latestAt: string
  readonly id: string
}

export const listThreads = endpoint({
  method: 'GET',
  path: '/v1/threads',
  operationId: 'listThreads',
  tag: 'Threads',
  summary: "List a mailbox's threads, by their latest message",
  scope: 'threads:read',
  tier: 'read',
  query: object({ mailbox_id: string({ minLength: 1 }), ...pageQuery }),
  status: 200,
  response: cursorPage(Thread),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { query: asked, principal, cursors } = input
    const mailbox = await openMailbox(input, jmap, asked.mailbox_id)
    const page = openPage<ThreadPlace>(cursors, 'threads', principal.organization, asked, { mailbox_id: mailbox.id })
    const accountId = mailbox.id
    const filter = page.after === null ? null : { olderThan: page.after }
    const { matching, threads, latest } = await jmap.call({
      matching: query('Thread', { accountId, filter, limit: askFor(page) }),
      threads: get('Thread', { accountId, '#ids': idsOf('matching', 'Thread'), properties: THREAD_PROPERTIES }),
      latest: get('Email', {
        accountId,
        '#ids': { resultOf: 'threads', name: 'Thread/get', path: '/list/*/latestEmailId' },
        properties: MESSAGE_PROPERTIES,
        ...bodyArguments(true),
      }),
    })
    const byId = new Map(latest.list.map((email) => [email.id, toMessage(accountId, email)]))
    // A thread whose latest message went away while it was read is on its way out of the list.
    const list = threads.list.filter((thread) => byId.has(thread.latestEmailId))
    const placeOf = ({ latestAt, id }: ThreadObject) => ({ latestAt, id })
    return closePage(cursors, page, { ids: matching.ids, list }, placeOf, (thread) => toThread(accountId, thread, byId))
  },
})

export const getThread = endpoint({
  method: 'GET',
  path: '/v1/threads/{thread_id}',
  operationId: 'getThread',
  tag: 'Threads',
  summary: "List a thread's messages, newest first",
  scope: 'threads:read',
  tier: 'read',
  query: object(pageQuery),
  status: 200,
  response: cursorPage(Message),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { query: asked, principal, cursors } = input
    const threadId = input.params.thread_id
    const accountId = accountOf(input, 'Thread', threadId, 'thread')
    const { threads, found: places } = await inMailbox(
      input,
      jmap,
      accountId,
      (account) => threadCalls(account, threadId, ['id', 'receivedAt']),
      'thread',
    )
    const page = openPage<MessagePlace>(cursors, 'thread', principal.organization, asked, { thread_id: threadId })
    const emails = newestFirst(threads, places)
    const ids = pageOf(emails, page)
    const { found } = await jmap.call({
      found: get('Email', { accountId, ids, properties: MESSAGE_PROPERTIES, ...bodyArguments(true) }),
    })
    const shown = inOrder(ids, found.list).map((email) => toMessage(accountId, email))
    const placeOf = new Map(emails.map(({ id, receivedAt }) => [id, { id, receivedAt }]))
    return closePage(
      cursors,
      page,
      { ids, list: shown },
      ({ id }) => placeOf.get(id)!,
      (message) => message,
    )
  },
})

const recipients = (max: number, description: string) => optional(addressesField(max, description))

export const replyToThread = endpoint({
  method: 'POST',
  path: '/v1/threads/{thread_id}/reply',
  operationId: 'replyToThread',
  tag: 'Threads',
  summary: 'Reply to a thread',
  description: "Sends from the thread's mailbox, by default to the sender of the latest message received.",
  scope: 'messages:write',
  tier: 'send',
  body: named(
    'NewReply',
    object({
      to: recipients(REPLY_MAX_RECIPIENTS, 'Instead of the default; at most 50 in to and cc.'),
      cc: recipients(REPLY_MAX_RECIPIENTS, 'Copies.'),
      bcc: recipients(REPLY_MAX_BCC, 'Copies that the others do not see.'),
      reply_all: withDefault(boolean('true adds the other recipients of the message that is answered.'), false),
      ...contentFields,
    }),
  ),
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
    const { mailbox, threads, found } = await inMailbox(
      input,
      jmap,
      accountOf(input, 'Thread', threadId, 'thread'),
      (account) => threadCalls(account, threadId, ANSWER_PROPERTIES),
      'thread',
    )
    const emails = newestFirst(threads, found)
    const latest = latestOf(emails)
    if (!latest) throw notFound('thread')
    const { to, cc } = replyRecipients(emails, mailbox.address, given, body.reply_all)
    const subject = body.subject ?? replySubject(latest.subject)
    return send(jmap, input.organization, {
      sender: { mailbox, from: { name: null, email: mailbox.address } },
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

/** What paging through a thread and answering it need to know of its messages. */
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

/** A thread and its messages, of which a page and an answer need no bodies. */
function threadCalls(accountId: string, threadId: string, properties: readonly (keyof EmailObject)[]) {
  return {
    threads: get('Thread', { accountId, ids: [threadId], properties: ['id', 'emailIds'] }),
    found: get('Email', {
      accountId,
      '#ids': { resultOf: 'threads', name: 'Thread/get', path: '/list/*/emailIds' },
      properties,
    }),
  }
}

/** RFC 8621 3: a thread's ids are the oldest first. @throws Problem 404 */
function newestFirst(threads: GetAnswer<ThreadObject>, found: GetAnswer<EmailObject>): readonly EmailObject[] {
  return inOrder([...onlyOne(threads, 'thread').emailIds].reverse(), found.list)
}

/** Where a page of a thread ended. The message may be gone by the next page: its time still tells the place. */
interface MessagePlace {
  readonly id: string
  readonly receivedAt: string
}

function pageOf(emails: readonly EmailObject[], page: PageRequest<MessagePlace>): string[] {
  const { after } = page
  if (after === null) return emails.slice(0, askFor(page)).map(({ id }) => id)
  const at = emails.findIndex(({ id }) => id === after.id)
  const rest = at >= 0 ? emails.slice(at + 1) : emails.filter(({ receivedAt }) => receivedAt < after.receivedAt)
  return rest.slice(0, askFor(page)).map(({ id }) => id)
}

function toThread(
  mailboxId: string,
  thread: ThreadObject,
  messages: ReadonlyMap<string, Infer<typeof Message>>,
): Infer<typeof Thread> {
  return {
    object: 'thread',
    id: thread.id,
    mailbox_id: mailboxId,
    subject: thread.subject ?? '',
    message_count: thread.messageCount,
    latest_message: messages.get(thread.latestEmailId)!,
    created_at: instant(thread.createdAt),
    updated_at: instant(thread.latestAt),
  }
}
