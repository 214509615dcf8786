import { knownId } from '../access/ids.ts'
import { emailIdsOf, get, inOrder, onlyOne } from '../calls/jmap-calls.ts'
import { inMailbox, ofMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { notFound } from '../errors/api-error.ts'
import { bodyArguments, INBOX_MESSAGE_PROPERTIES, InboxThread, toInboxMessage } from '../shapes/inbox-message.ts'
import { TAG } from './inbox-list.ts'

export const getInboxThread = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/inbox/threads/{thread_id}',
  operationId: 'getInboxThread',
  tag: TAG,
  summary: 'Read a thread with all its messages, oldest first',
  description: '404 once its last message is deleted.',
  scope: 'messages:read',
  response: InboxThread,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { mailbox_id: mailboxId, thread_id: threadId } = input.params
    knownId(mailboxId, 'mailbox')
    const ids = [knownId(threadId, 'thread')]
    const { mailbox, threads, found } = await inMailbox(input, jmap, mailboxId, (accountId) => ({
      threads: get('Thread', { accountId, ids, properties: ['id', 'emailIds', 'subject'] }),
      found: get(
        'Email',
        { accountId, '#ids': emailIdsOf('threads'), properties: INBOX_MESSAGE_PROPERTIES },
        bodyArguments(true),
      ),
    }))
    const thread = onlyOne(threads, 'thread')
    const emails = inOrder(thread.emailIds, found.list)
    if (emails.length === 0) throw notFound('thread')
    return {
      object: 'inbox_thread' as const,
      ...ofMailbox(mailbox),
      id: thread.id,
      subject: thread.subject ?? '',
      message_count: emails.length,
      data: emails.map((email) => toInboxMessage(mailbox, email)),
    }
  },
})

export const inboxThreadEndpoints = [getInboxThread]
