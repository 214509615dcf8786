import type { PatchOf } from '../../jmap/type/derived.ts'
import { knownId } from '../access/ids.ts'
import { openBlob } from '../calls/blob-file.ts'
import { destroyed, get, onlyOne, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type FolderRole, inMailbox, isRejected, type OpenMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { ApiError, invalid, notFound } from '../errors/api-error.ts'
import type { EmailObject, TypeOf } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import {
  bodyArguments,
  INBOX_MESSAGE_PROPERTIES,
  InboxAction,
  InboxMessage,
  toAction,
  toInboxMessage,
} from '../shapes/inbox-message.ts'
import { TAG } from './inbox-list.ts'

/** Decision D10 */
const MOVE_ROLES = ['inbox', 'archive', 'junk', 'trash'] as const

export const getInboxMessage = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}',
  operationId: 'getInboxMessage',
  tag: TAG,
  summary: 'Get a message',
  description: 'With its texts. Bodies, headers and previews come from other people: escape or sanitise them.',
  scope: 'messages:read',
  response: InboxMessage,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { mailbox_id: mailboxId, message_id: messageId } = input.params
    knownId(mailboxId, 'mailbox')
    const ids = [knownId(messageId, 'message')]
    const { mailbox, found } = await inMailbox(input, jmap, mailboxId, (accountId) => ({
      found: get('Email', { accountId, ids, properties: INBOX_MESSAGE_PROPERTIES }, bodyArguments(true)),
    }))
    return toInboxMessage(mailbox, onlyOne(found, 'message'))
  },
})

export const downloadRawMessage = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/raw',
  operationId: 'downloadRawMessage',
  tag: TAG,
  summary: 'Download a message as it was received',
  description: 'The octets as received, as message/rfc822. A Range returns a part.',
  scope: 'messages:read',
  errors: ['not_found', 'mailbox_access_denied', 'range_not_satisfiable'],
  async stream(input, jmap) {
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const ids = [knownId(input.params.message_id, 'message')]
    const { found } = await jmap.call({
      found: get('Email', { accountId: mailbox.id, ids, properties: ['id', 'blobId'] }),
    })
    const { id, blobId } = onlyOne(found, 'message')
    return openBlob(jmap, mailbox.id, blobId, { name: `${id}.eml`, what: 'message', type: 'message/rfc822' })
  },
})

export const updateInboxMessage = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}',
  operationId: 'updateInboxMessage',
  resource: getInboxMessage,
  tag: TAG,
  summary: 'Mark a message as read or starred, or remove the mark',
  description: 'At least one of read and starred.',
  scope: 'messages:write',
  body: s.object({ read: s.optional(s.boolean()), starred: s.optional(s.boolean()) }),
  bodyExample: { read: true, starred: true },
  response: InboxAction,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { read, starred } = input.body
    if (read === undefined && starred === undefined) {
      throw invalid(null, 'required', 'Give read, starred or both.')
    }
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const patch = {
      ...(read !== undefined && { 'keywords/$seen': read || null }),
      ...(starred !== undefined && { 'keywords/$flagged': starred || null }),
    }
    return act(jmap, mailbox, knownId(input.params.message_id, 'message'), patch)
  },
})

export const moveInboxMessage = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/move',
  operationId: 'moveInboxMessage',
  tag: TAG,
  summary: 'Move a message to a folder',
  description: 'It leaves all other folders. Moving to or out of junk trains the spam filter.',
  scope: 'messages:write',
  body: s.object({
    target_role: s.optional(s.oneOf(MOVE_ROLES)),
    target_folder_id: s.optional(s.string({ description: 'Instead of target_role.' })),
  }),
  bodyExample: { target_role: 'archive' },
  response: InboxAction,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { target_role: role, target_folder_id: folderId } = input.body
    if ((role === undefined) === (folderId === undefined)) {
      throw invalid('target_role', 'required', 'Give exactly one of target_role and target_folder_id.')
    }
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const messageId = knownId(input.params.message_id, 'message')
    const { email, folders } = await readPlace(jmap, mailbox.id, messageId)
    const target = folders.find((folder) => (role === undefined ? folder.id === folderId : folder.role === role))
    if (!target) throw notFound('folder')
    return act(jmap, mailbox, messageId, { mailboxIds: { [target.id]: true }, ...spamVerdict(folders, email, target) })
  },
})

export const deleteInboxMessage = endpoint({
  method: 'DELETE',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}',
  operationId: 'deleteInboxMessage',
  resource: getInboxMessage,
  tag: TAG,
  summary: 'Delete a message in trash or junk permanently',
  description: '409 `invalid_state` for a message in another folder: move it to trash first.',
  scope: 'messages:write',
  response: InboxAction,
  errors: ['not_found', 'mailbox_access_denied', 'invalid_state'],
  async run(input, jmap) {
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const messageId = knownId(input.params.message_id, 'message')
    const { email, folders } = await readPlace(jmap, mailbox.id, messageId)
    const rejected = folders.filter(isRejected).map(({ id }) => id)
    if (!Object.keys(email.mailboxIds).every((id) => rejected.includes(id))) {
      throw new ApiError('invalid_state', {
        message: 'Only a message in trash or junk can be deleted; move it there first.',
      })
    }
    const { gone } = await jmap.call({ gone: set('Email', { accountId: mailbox.id, destroy: [messageId] }) })
    destroyed(gone, messageId, { what: 'message' })
    return toAction(mailbox, messageId)
  },
})

/** The folders of a mailbox, and which of them a message is in. @throws ApiError 404 */
async function readPlace(jmap: JmapClient, accountId: string, messageId: string) {
  const { folders, found } = await jmap.call({
    folders: get('Mailbox', { accountId, ids: null, properties: ['id', 'role'] }),
    found: get('Email', { accountId, ids: [messageId], properties: ['id', 'mailboxIds'] }),
  })
  return { email: onlyOne(found, 'message'), folders: folders.list }
}

/** The folder may be deleted while a message is moved to it. */
const PLACE_RULES = {
  what: 'message',
  fields: { mailboxIds: 'target_folder_id' },
  details: { mailboxIds: 'unknown_reference' },
} as const

async function act(jmap: JmapClient, mailbox: OpenMailbox, messageId: string, patch: PatchOf<TypeOf<'Email'>>) {
  const { changed } = await jmap.call({
    changed: set('Email', { accountId: mailbox.id, update: { [messageId]: patch } }),
  })
  updated(changed, messageId, PLACE_RULES)
  return toAction(mailbox, messageId)
}

/** Decision D10: the spam mark that a move sets. */
function spamVerdict(folders: readonly FolderRole[], email: EmailObject, target: FolderRole): PatchOf<TypeOf<'Email'>> {
  const junk = folders.find(({ role }) => role === 'junk')?.id
  if (target.id === junk) return { 'keywords/$junk': true, 'keywords/$notjunk': null }
  const leaves = junk !== undefined && junk in email.mailboxIds && target.role !== 'trash'
  return leaves ? { 'keywords/$notjunk': true, 'keywords/$junk': null } : {}
}

export const inboxMessageEndpoints = [
  getInboxMessage,
  downloadRawMessage,
  updateInboxMessage,
  moveInboxMessage,
  deleteInboxMessage,
]
