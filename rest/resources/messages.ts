import {
  SentMessageGet,
  type SentMessagePlace,
  SentMessageQuery,
} from '../../jmap/mail/submission/sent-message.type.ts'
import type { GivenTo } from '../../jmap/type/method-declaration.ts'
import { call, onlyOne, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { accountOf, type Caller, inMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { ApiError, invalid } from '../errors/api-error.ts'
import { closePage, cursorPage, openPage, pageQuery } from '../pagination/pages.ts'
import type { SentMessageObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { timeFilters, toTimes } from '../schema/time-filters.ts'
import { getMessages } from '../sending/rounds.ts'
import { waitingSubmission } from '../sending/send.ts'
import { readTagFilter } from '../sending/tags.ts'
import { Message, toMessage, toSentMessage } from '../shapes/message.ts'
import { TAG } from './send-message.ts'

const STATUSES = ['scheduled', 'cancelled'] as const

export const listMessages = endpoint({
  method: 'GET',
  path: '/v1/messages',
  operationId: 'listMessages',
  tag: TAG,
  summary: 'List sent messages, newest first',
  description: 'Messages of all mailboxes that the key may use, including those whose copy in the mailbox was deleted.',
  scope: 'messages:read',
  query: s.object({
    mailbox_id: s.optional(s.string({ minLength: 1, description: 'Only messages of this mailbox.' })),
    status: s.optional(s.oneOf(STATUSES, 'Only scheduled or cancelled messages.')),
    tag: s.optional(s.string({ maxLength: 321, description: 'Only messages with this tag, as `name:value`.' })),
    recipient: s.optional(
      s.string({
        format: 'email',
        description: 'Only messages to this address (in to, cc or bcc).',
        examples: ['jane@example.org'],
      }),
    ),
    ...timeFilters('created', 'messages'),
    ...pageQuery,
  }),
  response: cursorPage(Message),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { organization: accountId } = input
    const { cursor: _cursor, limit: _limit, ...filters } = input.query
    const page = openPage<SentMessagePlace>(input, 'messages', filters)
    const filter = await toFilter(input, jmap, page.filters)
    const { matching, records } = await jmap.call({
      matching: call(SentMessageQuery, {
        accountId,
        filter: { ...filter, ...(page.after !== null && { after: page.after }) },
        limit: page.fetch,
      }),
      records: call(SentMessageGet, {
        accountId,
        '#ids': { resultOf: 'matching', name: SentMessageQuery.name, path: '/ids' },
      }),
    })
    const emails = await readKept(jmap, records.list)
    const placeOf = ({ submittedAt, submissionId }: SentMessageObject) => ({ submittedAt, submissionId })
    return closePage(page, { ids: matching.ids, list: records.list }, placeOf, (record) => {
      return emails.get(record.id) ?? toSentMessage(record)
    })
  },
})

export const getMessageById = endpoint({
  method: 'GET',
  path: '/v1/messages/{message_id}',
  operationId: 'getMessage',
  tag: TAG,
  summary: 'Get a message with its delivery state',
  description:
    '`recipients` has the state of each recipient, and the reply of its server. A sent message is also found after its copy in the mailbox was deleted.',
  scope: 'messages:read',
  response: Message,
  errors: ['not_found', 'mailbox_access_denied'],
  run: (input, jmap) => readMessage(input, jmap, input.params.message_id),
})

export const cancelMessage = endpoint({
  method: 'POST',
  path: '/v1/messages/{message_id}/cancel',
  operationId: 'cancelMessage',
  tag: TAG,
  summary: 'Cancel a scheduled message',
  description: '409 `invalid_state` once sending has started.',
  scope: 'messages:write',
  response: Message,
  errors: ['not_found', 'mailbox_access_denied', 'invalid_state'],
  async run(input, jmap) {
    const { message_id: id } = input.params
    const { mailbox_id: accountId } = await readMessage(input, jmap, id)
    await cancel(jmap, accountId, id)
    return readMessage(input, jmap, id)
  },
})

/** Attempts while other submissions of the mailbox change. */
const CANCEL_TRIES = 50

/** RFC 8620 5.3: with `ifInState` one of several concurrent requests cancels the message; the others find it cancelled. @throws ApiError */
async function cancel(jmap: JmapClient, accountId: string, emailId: string): Promise<void> {
  for (let tries = 0; tries < CANCEL_TRIES; tries++) {
    const { submission, state } = await waitingSubmission(jmap, accountId, emailId)
    if (!submission) throw new ApiError('invalid_state', { message: 'The message does not wait to be sent.' })
    // RFC 8621 7.5: undoStatus is the one property of a submission that can be changed.
    const update = { [submission.id]: { undoStatus: 'canceled' as const } }
    try {
      const { undone } = await jmap.call({
        undone: set('EmailSubmission', { accountId, ifInState: state, update }),
      })
      return void updated(undone, submission.id, { what: 'message' })
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'conflict')) throw error
    }
  }
  throw new ApiError('invalid_state', { message: 'Too much is sent from the mailbox at this moment. Try again.' })
}

/** @throws ApiError */
async function toFilter(
  caller: Caller,
  jmap: JmapClient,
  { mailbox_id, status, tag: written, recipient, ...times }: { readonly [name: string]: string },
): Promise<NonNullable<GivenTo<typeof SentMessageQuery>['filter']>> {
  const tag = written === undefined ? undefined : readTagFilter(written)
  if (tag === null) throw invalid('tag', 'invalid_format', 'tag is the name and the value of a tag: name:value.')
  const mailbox = mailbox_id === undefined ? undefined : await openMailbox(caller, jmap, mailbox_id)
  const wanted = STATUSES.find((one) => one === status)
  return {
    ...(mailbox && { mailboxId: mailbox.id }),
    ...(wanted && { status: wanted }),
    ...(tag && { tag }),
    ...(recipient !== undefined && { recipient }),
    ...toTimes(times, { created_after: 'createdAfter', created_before: 'createdBefore' }),
  }
}

/** Decision D29: the email, or else its remaining record. @throws ApiError */
async function readMessage(caller: Caller, jmap: JmapClient, id: string): Promise<s.Infer<typeof Message>> {
  const accountId = accountOf(caller, 'Email', id, 'message')
  const { found } = await inMailbox(
    caller,
    jmap,
    accountId,
    (account) => ({ found: getMessages(account, [id]) }),
    'message',
  )
  const [email] = found.list
  if (email) return toMessage(accountId, email)
  const { record } = await jmap.call({ record: call(SentMessageGet, { accountId: caller.organization, ids: [id] }) })
  return toSentMessage(onlyOne(record, 'message'))
}

/** By id, the messages whose copy is in a mailbox. */
async function readKept(
  jmap: JmapClient,
  records: readonly SentMessageObject[],
): Promise<ReadonlyMap<string, s.Infer<typeof Message>>> {
  const messages = new Map<string, s.Infer<typeof Message>>()
  const kept = Map.groupBy(
    records.filter(({ isDeleted }) => !isDeleted),
    ({ mailboxId }) => mailboxId,
  )
  for (const [mailboxId, ofMailbox] of kept) {
    const { found } = await jmap.settle({
      found: getMessages(
        mailboxId,
        ofMailbox.map(({ id }) => id),
      ),
    })
    if (!(found instanceof ApiError))
      for (const email of found.list) messages.set(email.id, toMessage(mailboxId, email))
    // The mailbox has just been deleted: its records are in the list as they were read.
    else if (found.code !== 'not_found') throw found
  }
  return messages
}

export const messageEndpoints = [listMessages, getMessageById, cancelMessage]
