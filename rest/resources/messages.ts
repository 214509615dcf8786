import { getSent, onlyOne, querySent, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { SentMessageObject } from '../calls/jmap-types.ts'
import { accountOf, inMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { type Context, endpoint } from '../endpoint.ts'
import { invalid, Problem } from '../errors/api-error.ts'
import { askFor, closePage, cursorPage, openPage, pageQuery } from '../pagination/pages.ts'
import { type Infer, object, oneOf, optional, string } from '../schema/schema.ts'
import { getMessage, getMessages, waitingSubmission } from '../sending/send.ts'
import { readTagFilter } from '../sending/tags.ts'
import { Message, toMessage } from '../shapes/message.ts'
import { toSentMessage } from '../shapes/sent-message.ts'

/** Where a page ended. */
type Place = Pick<SentMessageObject, 'submittedAt' | 'submissionId'>

export const listMessages = endpoint({
  method: 'GET',
  path: '/v1/messages',
  operationId: 'listMessages',
  tag: 'Messages',
  summary: 'List the messages that were sent, newest first',
  description: 'Of all mailboxes that the key may use, also those whose copy in the mailbox was deleted.',
  scope: 'messages:read',
  tier: 'read',
  query: object({
    mailbox_id: optional(string({ minLength: 1, description: 'Only what this mailbox sent.' })),
    status: optional(oneOf(['scheduled', 'cancelled'], 'Only what waits for its time, or was taken back.')),
    tag: optional(string({ maxLength: 321, description: 'Only those with this tag, as `name:value`.' })),
    ...pageQuery,
  }),
  status: 200,
  response: cursorPage(Message),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { query: asked, organization: accountId, principal, cursors } = input
    const filters = { mailbox_id: asked.mailbox_id, status: asked.status, tag: asked.tag }
    const page = openPage<Place>(cursors, 'messages', principal.organization, asked, filters)
    const filter = await toFilter(input, jmap, page.filters)
    const { matching, records } = await jmap.call({
      matching: querySent({
        accountId,
        filter: { ...filter, ...(page.after !== null && { after: page.after }) },
        limit: askFor(page),
      }),
      records: getSent({
        accountId,
        '#ids': { resultOf: 'matching', name: 'SentMessage/query', path: '/ids' },
      }),
    })
    const shown = await showAll(jmap, records.list)
    const placeOf = ({ submittedAt, submissionId }: SentMessageObject) => ({ submittedAt, submissionId })
    return closePage(cursors, page, { ids: matching.ids, list: records.list }, placeOf, ({ id }) => shown.get(id)!)
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
  run: (input, jmap) => readMessage(input, jmap, input.params.message_id),
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
    const { mailbox_id: accountId } = await readMessage(input, jmap, id)
    const submission = await waitingSubmission(jmap, accountId, id)
    if (!submission) throw new Problem('invalid_state', { message: 'The message does not wait to be sent.' })
    // RFC 8621 7.5: undoStatus is the one property of a submission that can be changed.
    const { undone } = await jmap.call({
      undone: set('EmailSubmission', { accountId, update: { [submission.id]: { undoStatus: 'canceled' } } }),
    })
    updated(undone, submission.id, { what: 'message' })
    return readMessage(input, jmap, id)
  },
})

/** @throws Problem */
async function toFilter(
  context: Context,
  jmap: JmapClient,
  { mailbox_id, status, tag: written }: { readonly [name: string]: string },
): Promise<object> {
  const tag = written === undefined ? undefined : readTagFilter(written)
  if (tag === null) throw invalid('tag', 'invalid_format', 'tag is the name and the value of a tag: name:value.')
  const mailbox = mailbox_id === undefined ? undefined : await openMailbox(context, jmap, mailbox_id)
  return { ...(mailbox && { mailboxId: mailbox.id }), ...(status !== undefined && { status }), ...(tag && { tag }) }
}

/** D29: the email, else the record that is left of it. @throws Problem */
async function readMessage(context: Context, jmap: JmapClient, id: string): Promise<Infer<typeof Message>> {
  const accountId = accountOf(context, 'Email', id, 'message')
  const { found } = await inMailbox(
    context,
    jmap,
    accountId,
    (account) => ({ found: getMessage(account, id) }),
    'message',
  )
  const [email] = found.list
  if (email) return toMessage(accountId, email)
  const { record } = await jmap.call({ record: getSent({ accountId: context.organization, ids: [id] }) })
  return toSentMessage(onlyOne(record, 'message'))
}

/** Messages by id: those that are there with their contents, the others as their records have them. */
async function showAll(
  jmap: JmapClient,
  records: readonly SentMessageObject[],
): Promise<ReadonlyMap<string, Infer<typeof Message>>> {
  const shown = new Map(records.map((record) => [record.id, toSentMessage(record)]))
  for (const mailboxId of new Set(records.map((record) => record.mailboxId))) {
    const ids = records.filter((one) => one.mailboxId === mailboxId && !one.isDeleted).map(({ id }) => id)
    if (ids.length === 0) continue
    const { found } = await jmap.call({ found: getMessages(mailboxId, ids) })
    for (const email of found.list) shown.set(email.id, toMessage(mailboxId, email))
  }
  return shown
}
