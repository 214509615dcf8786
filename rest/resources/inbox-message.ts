import { type FolderRole, isRejected, readFolders } from '../calls/folders.ts'
import { destroyed, get, onlyOne, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { EmailObject } from '../calls/jmap-types.ts'
import { type OpenMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { invalid, invalidFields, notFound, Problem } from '../errors/api-error.ts'
import { boolean, object, oneOf, optional, string } from '../schema/schema.ts'
import { knownId } from '../shapes/common.ts'
import { InboxAction, toAction } from '../shapes/inbox-message.ts'

/** D10 */
const MOVE_ROLES = ['inbox', 'archive', 'junk', 'trash'] as const

export const updateInboxMessage = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}',
  operationId: 'updateInboxMessage',
  tag: 'Inbox',
  summary: 'Mark a message as read or starred, or take the mark away',
  scope: 'messages:write',
  tier: 'write',
  body: object({ read: optional(boolean()), starred: optional(boolean()) }),
  status: 200,
  response: InboxAction,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { read, starred } = input.body
    if (read === undefined && starred === undefined) {
      throw invalidFields([{ field: null, code: 'required', message: 'Give read, starred or both.' }])
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
  tag: 'Inbox',
  summary: 'Move a message to a folder',
  description: 'It leaves every other folder. Moving to or out of junk tells the spam filter.',
  scope: 'messages:write',
  tier: 'write',
  body: object({
    target_role: optional(oneOf(MOVE_ROLES)),
    target_folder_id: optional(string({ description: 'Instead of target_role.' })),
  }),
  status: 200,
  response: InboxAction,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { target_role: role, target_folder_id: folderId } = input.body
    if ((role === undefined) === (folderId === undefined)) {
      throw invalid('target_role', 'required', 'Give exactly one of target_role and target_folder_id.')
    }
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const messageId = knownId(input.params.message_id, 'message')
    const folders = await readFolders(jmap, mailbox.id)
    const { found } = await jmap.call({
      found: get('Email', { accountId: mailbox.id, ids: [messageId], properties: ['id', 'mailboxIds'] }),
    })
    const email = onlyOne(found, 'message')
    const target = folders.find((folder) => (role === undefined ? folder.id === folderId : folder.role === role))
    if (!target) throw notFound('folder')
    return act(jmap, mailbox, messageId, { mailboxIds: { [target.id]: true }, ...spamVerdict(folders, email, target) })
  },
})

export const deleteInboxMessage = endpoint({
  method: 'DELETE',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}',
  operationId: 'deleteInboxMessage',
  tag: 'Inbox',
  summary: 'Delete a message in trash or junk for good',
  scope: 'messages:write',
  tier: 'write',
  status: 200,
  response: InboxAction,
  errors: ['not_found', 'mailbox_access_denied', 'invalid_state'],
  async run(input, jmap) {
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const messageId = knownId(input.params.message_id, 'message')
    const folders = await readFolders(jmap, mailbox.id)
    const { found } = await jmap.call({
      found: get('Email', { accountId: mailbox.id, ids: [messageId], properties: ['id', 'mailboxIds'] }),
    })
    const { mailboxIds } = onlyOne(found, 'message')
    const rejected = folders.filter(isRejected).map(({ id }) => id)
    if (!Object.keys(mailboxIds).every((id) => rejected.includes(id))) {
      throw new Problem('invalid_state', {
        message: 'Only a message in trash or junk can be deleted; move it there first.',
      })
    }
    const { gone } = await jmap.call({ gone: set('Email', { accountId: mailbox.id, destroy: [messageId] }) })
    destroyed(gone, messageId, { what: 'message' })
    return toAction(mailbox, messageId)
  },
})

async function act(jmap: JmapClient, mailbox: OpenMailbox, messageId: string, patch: object) {
  const { changed } = await jmap.call({
    changed: set('Email', { accountId: mailbox.id, update: { [messageId]: patch } }),
  })
  updated(changed, messageId, { what: 'message' })
  return toAction(mailbox, messageId)
}

/** D10: what the move says about the message being spam. */
function spamVerdict(folders: readonly FolderRole[], email: EmailObject, target: FolderRole): object {
  const junk = folders.find(({ role }) => role === 'junk')?.id
  if (target.id === junk) return { 'keywords/$junk': true, 'keywords/$notjunk': null }
  const leaves = junk !== undefined && junk in email.mailboxIds && target.role !== 'trash'
  return leaves ? { 'keywords/$notjunk': true, 'keywords/$junk': null } : {}
}
