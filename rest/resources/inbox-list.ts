import type { ConditionOf } from '../../jmap/type/derived.ts'
import { REST_PAGE_DEFAULT, REST_PAGE_MAX } from '../../server/base/limits.ts'
import { get, idsOf, inOrder, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import {
  type FolderRole,
  inMailbox,
  isRejected,
  mailboxFields,
  type OpenMailbox,
  ofMailbox,
} from '../calls/mailbox-access.ts'
import { type Context, endpoint, type Tag } from '../endpoint.ts'
import { invalid, notFound } from '../errors/api-error.ts'
import type { TypeOf } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { timeFilters, toTimes } from '../schema/time-filters.ts'
import { toCamel } from '../schema/to-snake.ts'
import { bodyArguments, INBOX_MESSAGE_PROPERTIES, InboxMessage } from '../shapes/inbox-message.ts'
import { CHANGING_PROPERTIES, type ChangingEmail, fixedText, withFixedText } from '../shapes/message-texts.ts'

export const TAG: Tag = {
  name: 'Inbox',
  description: 'The messages of a mailbox by folder, as in a mail program. Their content comes from other people.',
}

// Decision D9
const FOLDER_ROLES = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'] as const
/** RFC 8621 4.1.1 */
const keyword = (sample: string) =>
  s.string({
    minLength: 1,
    maxLength: 255,
    pattern: "^[!#$&'+-\\[^-z|-~]*$",
    description: 'A keyword: printable ASCII without spaces and ( ) { ] % * " \\.',
    examples: [sample],
  })
const SEARCH_MAX_CHARS = 1_000

const InboxMessages = s.resource('InboxMessages', 'inbox_messages', {
  ...mailboxFields,
  data: s.array(InboxMessage),
  pagination: s.object({
    position: s.integer(),
    limit: s.integer(),
    total: s.integer(),
    has_more: s.boolean(),
    next_position: s.nullable(s.integer()),
  }),
})

export const listInboxMessages = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages',
  operationId: 'listInboxMessages',
  tag: TAG,
  summary: 'List messages, newest first',
  description: 'Without a folder, the messages of all folders except junk and trash. Filters are combined by AND.',
  scope: 'messages:read',
  query: s.object({
    position: s.withDefault(s.integer({ minimum: 0, description: 'Number of messages to skip.' }), 0),
    limit: s.withDefault(s.integer({ minimum: 1, maximum: REST_PAGE_MAX }), REST_PAGE_DEFAULT),
    folder_id: s.optional(s.string({ description: 'Only this folder; not together with folder_role.' })),
    folder_role: s.optional(s.oneOf(FOLDER_ROLES, 'Only the folder of this role.')),
    search_text: s.optional(
      s.string({ minLength: 1, maxLength: SEARCH_MAX_CHARS, description: 'In from, to, cc, subject and text.' }),
    ),
    has_keyword: s.optional(keyword('$flagged')),
    not_keyword: s.optional(keyword('$seen')),
    ...timeFilters('received', 'messages'),
    body: s.withDefault(s.boolean('false leaves `body_values` empty.'), true),
  }),
  response: InboxMessages,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { position, limit, body, ...filters } = input.query
    if (filters.folder_id !== undefined && filters.folder_role !== undefined) {
      throw invalid('folder_id', 'not_allowed', 'Give folder_id or folder_role, not both.')
    }
    const { mailbox, folders } = await inMailbox(input, jmap, input.params.mailbox_id, (accountId) => ({
      folders: get('Mailbox', { accountId, ids: null, properties: ['id', 'role'] }),
    }))
    const { matching, found } = await jmap.call({
      matching: query('Email', {
        accountId: mailbox.id,
        filter: { ...inFolders(folders.list, filters), ...byContent(filters) },
        sort: [{ property: 'receivedAt', isAscending: false }],
        position,
        limit,
        calculateTotal: true,
      }),
      found: get('Email', {
        accountId: mailbox.id,
        '#ids': idsOf('matching', 'Email'),
        properties: CHANGING_PROPERTIES,
      }),
    })
    const texts = await fixedTexts(input, jmap, mailbox, found.list)
    const total = matching.total ?? 0
    const hasMore = position + matching.ids.length < total && matching.ids.length > 0
    return {
      object: 'inbox_messages' as const,
      ...ofMailbox(mailbox),
      data: inOrder(matching.ids, found.list).flatMap((email) => {
        const fixed = texts.get(email.id)
        return fixed === undefined ? [] : [withFixedText(fixed, email)]
      }),
      pagination: { position, limit, total, has_more: hasMore, next_position: hasMore ? position + limit : null },
    }
  },
})

/** The fixed text of each message, by id. Unknown texts are read first; a deleted message has none. */
async function fixedTexts(
  { messageTexts, query: { body } }: Pick<Context, 'messageTexts'> & { readonly query: { readonly body: boolean } },
  jmap: JmapClient,
  mailbox: OpenMailbox,
  emails: readonly ChangingEmail[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const unknown: string[] = []
  for (const { id } of emails) {
    const text = messageTexts.find(id, body)
    if (text === undefined) unknown.push(id)
    else texts.set(id, text)
  }
  if (unknown.length === 0) return texts
  const { found } = await jmap.call({
    found: get(
      'Email',
      { accountId: mailbox.id, ids: unknown, properties: INBOX_MESSAGE_PROPERTIES },
      bodyArguments(body),
    ),
  })
  for (const email of found.list) {
    const text = fixedText(mailbox, email)
    messageTexts.keep(email.id, body, text)
    texts.set(email.id, text)
  }
  return texts
}

const TIMES = { received_after: 'after', received_before: 'before' }

interface ListFilters {
  readonly folder_id?: string
  readonly folder_role?: string
  readonly search_text?: string
  readonly has_keyword?: string
  readonly not_keyword?: string
  readonly received_after?: string
  readonly received_before?: string
}

type Conditions = ConditionOf<TypeOf<'Email'>>

/** RFC 8621 4.4.1. @throws ApiError 404 for an unknown folder */
function inFolders(folders: readonly FolderRole[], { folder_id, folder_role }: ListFilters): Conditions {
  if (folder_id === undefined && folder_role === undefined) {
    // Decisions D10 and E3: as Gmail does.
    const hidden = folders.filter(isRejected).map(({ id }) => id)
    return hidden.length > 0 ? { inMailboxOtherThan: hidden } : {}
  }
  const folder = folders.find(({ id, role }) => (folder_id === undefined ? role === folder_role : id === folder_id))
  if (!folder) throw notFound('folder')
  return { inMailbox: folder.id }
}

function byContent(filters: ListFilters): Conditions {
  const { search_text: text } = filters
  return {
    ...(text !== undefined && { text }),
    ...toCamel(filters, ['has_keyword', 'not_keyword']),
    // RFC 8621 4.4.1: `after` is that time or later, `before` is before it.
    ...toTimes({ received_after: filters.received_after, received_before: filters.received_before }, TIMES),
  }
}

export const inboxListEndpoints = [listInboxMessages]
