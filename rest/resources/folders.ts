import { endpoint } from '../endpoint.ts'
import { get } from '../jmap-calls.ts'
import type { MailboxObject } from '../jmap-types.ts'
import { openMailbox } from '../mailbox-access.ts'
import { array, constant, type Infer, integer, named, nullable, object, oneOf, string } from '../schema.ts'
import { id } from '../shapes/common.ts'

export const Folder = named(
  'MailboxFolder',
  object({
    object: constant('mailbox_folder'),
    id: id('fld_aaaaaaaaayaaaaaaaaaacwhgpxra'),
    name: string({ examples: ['Inbox'] }),
    parent_id: nullable(string()),
    role: nullable(string({ examples: ['inbox'] })),
    kind: oneOf(['system', 'custom']),
    total_emails: integer(),
    unread_emails: integer(),
    unread_threads: integer({ description: 'Threads with at least one unread message in this folder.' }),
    sort_order: integer(),
  }),
)

const FolderList = named(
  'MailboxFolders',
  object({
    object: constant('mailbox_folders'),
    mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    address: string({ examples: ['support@example.com'] }),
    data: array(Folder),
  }),
)

export const listFolders = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/folders',
  operationId: 'listFolders',
  tag: 'Folders',
  summary: "List a mailbox's folders with their counts",
  scope: 'mailboxes:read',
  tier: 'read',
  status: 200,
  response: FolderList,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const { found } = await jmap.call({
      found: get('Mailbox', { accountId: mailbox.id, ids: null, properties: PROPERTIES }),
    })
    const data = [...found.list].sort(byPlace).map(toFolder)
    return { object: 'mailbox_folders' as const, mailbox_id: mailbox.id, address: mailbox.address, data }
  },
})

const PROPERTIES = [
  'id',
  'name',
  'parentId',
  'role',
  'sortOrder',
  'totalEmails',
  'unreadEmails',
  'ownUnreadThreads',
] as const satisfies readonly (keyof MailboxObject)[]

/** D9: by sort_order, then by name. */
function byPlace(a: MailboxObject, b: MailboxObject): number {
  return a.sortOrder - b.sortOrder || a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1)
}

function toFolder(folder: MailboxObject): Infer<typeof Folder> {
  return {
    object: 'mailbox_folder',
    id: folder.id,
    name: folder.name,
    parent_id: folder.parentId,
    role: folder.role,
    kind: folder.role === null ? 'custom' : 'system',
    total_emails: folder.totalEmails,
    unread_emails: folder.unreadEmails,
    unread_threads: folder.ownUnreadThreads,
    sort_order: folder.sortOrder,
  }
}
