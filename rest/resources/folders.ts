import { knownId } from '../access/ids.ts'
import { created, destroyed, get, onlyOne, returned, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { inMailbox, isRejected, mailboxFields, ofMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { ApiError, invalid, notFound } from '../errors/api-error.ts'
import type { MailboxObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'
import { folderName, refuseReserved } from '../shapes/folder-names.ts'

export const Folder = s.resource('MailboxFolder', 'mailbox_folder', {
  id: s.id('fld_aaaaaaaaayaaaaaaaaaacwhgpxra'),
  name: s.string({ examples: ['Inbox'] }),
  parent_id: s.nullable(s.string()),
  role: s.nullable(s.string({ examples: ['inbox'] })),
  kind: s.oneOf(['system', 'custom']),
  total_emails: s.integer(),
  unread_emails: s.integer(),
  unread_threads: s.integer({ description: 'Threads with at least one unread message in this folder.' }),
  sort_order: s.integer(),
})

const FolderList = s.resource('MailboxFolders', 'mailbox_folders', {
  ...mailboxFields,
  data: s.array(Folder),
})

const TAG: Tag = {
  name: 'Folders',
  description: 'The folders of a mailbox: system folders and custom ones.',
}

export const listFolders = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/folders',
  operationId: 'listFolders',
  tag: TAG,
  summary: "List a mailbox's folders with their counts",
  description: 'System folders come first, then by sort_order and name.',
  scope: 'mailboxes:read',
  response: FolderList,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { mailbox, found } = await inMailbox(input, jmap, input.params.mailbox_id, (accountId) => ({
      found: get('Mailbox', { accountId, ids: null, properties: PROPERTIES }),
    }))
    const data = [...found.list].sort(byPlace).map(toFolder)
    return { object: 'mailbox_folders' as const, ...ofMailbox(mailbox), data }
  },
})

/** Decision D9: the system's folders come before. */
const CUSTOM_SORT_ORDER = 100
const SORT_ORDER_MAX = 2_147_483_647

const nameField = s.string({
  maxLength: 1_000,
  description: 'Different from other folders with the same parent, ignoring case; 255 octets, no "/".',
  examples: ['Invoices'],
})
const parentField = s.nullable(s.string({ description: 'The parent folder, not trash or junk; null: none.' }))
const sortOrderField = s.integer({ minimum: 0, maximum: SORT_ORDER_MAX, description: 'Lower values come first.' })
const RULES = {
  codes: { alreadyExists: 'folder_name_taken' },
  details: { parentId: 'unknown_reference' },
  what: 'folder',
} as const

/** Only a folder below it can be a system folder. */
const DELETE_RULES = { ...RULES, codes: { ...RULES.codes, forbidden: 'system_folder' } } as const

export const createFolder = endpoint({
  method: 'POST',
  path: '/v1/mailboxes/{mailbox_id}/folders',
  operationId: 'createFolder',
  tag: TAG,
  summary: 'Create a folder',
  description:
    'In another folder or at the top. Names are unique within a parent, ignoring case; names of system folders are reserved.',
  scope: 'mailboxes:write',
  body: s.object({
    name: nameField,
    parent_id: s.optional(parentField),
    sort_order: s.optional(sortOrderField),
    idempotency_key: s.optional(s.string({ description: 'The same as the header Idempotency-Key.' })),
  }),
  bodyExample: { name: 'Invoices', parent_id: null },
  idempotencyMember: 'idempotency_key',
  status: 201,
  response: Folder,
  errors: ['not_found', 'mailbox_access_denied', 'folder_name_taken'],
  async run(input, jmap) {
    const { name: written, parent_id: parentId = null, sort_order: sortOrder = CUSTOM_SORT_ORDER } = input.body
    const name = folderName(written)
    const { id: accountId } = await openMailbox(input, jmap, input.params.mailbox_id)
    if (parentId !== null) checkParent(await readAll(jmap, accountId), parentId)
    refuseReserved(name)
    const create = { folder: { name, parentId, sortOrder } }
    const { made } = await jmap.call({ made: set('Mailbox', { accountId, create, returning: PROPERTIES }) })
    created(made, 'folder', RULES)
    return toFolder(returned(made, 'folder'))
  },
})

export const getFolder = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/folders/{folder_id}',
  operationId: 'getFolder',
  tag: TAG,
  summary: 'Get a folder with its counts',
  description: 'Its ETag, for If-Match, changes with its counts too.',
  scope: 'mailboxes:read',
  response: Folder,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const ids = [knownId(input.params.folder_id, 'folder')]
    const { found } = await inMailbox(input, jmap, input.params.mailbox_id, (accountId) => ({
      found: get('Mailbox', { accountId, ids, properties: PROPERTIES }),
    }))
    return toFolder(onlyOne(found, 'folder'))
  },
})

export const updateFolder = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}/folders/{folder_id}',
  operationId: 'updateFolder',
  resource: getFolder,
  tag: TAG,
  summary: 'Rename, move or reorder a folder',
  description: 'System folders can only be reordered.',
  scope: 'mailboxes:write',
  body: s.object({
    name: s.optional(nameField),
    parent_id: s.optional(parentField),
    sort_order: s.optional(sortOrderField),
  }),
  bodyExample: { name: 'Paid invoices' },
  response: Folder,
  errors: ['not_found', 'mailbox_access_denied', 'folder_name_taken', 'system_folder'],
  async run(input, jmap) {
    const given = toCamel(input.body, ['name', 'parent_id', 'sort_order'])
    const patch = { ...given, ...(given.name !== undefined && { name: folderName(given.name) }) }
    const { name, parentId } = patch
    if (Object.keys(patch).length === 0) throw invalid(null, 'required', 'Send name, parent_id or sort_order.')
    const { id: accountId } = await openMailbox(input, jmap, input.params.mailbox_id)
    const folders = await readAll(jmap, accountId)
    const folder = findFolder(folders, input.params.folder_id)
    if (parentId !== undefined && parentId !== null) checkParent(folders, parentId)
    if (folder.role !== null && (name !== undefined || parentId !== undefined)) throw new ApiError('system_folder')
    if (name !== undefined) refuseReserved(name)
    const update = { [folder.id]: patch }
    const { changed } = await jmap.call({ changed: set('Mailbox', { accountId, update, returning: PROPERTIES }) })
    updated(changed, folder.id, RULES)
    return toFolder(returned(changed, 'folder'))
  },
})

export const deleteFolder = endpoint({
  method: 'DELETE',
  path: '/v1/mailboxes/{mailbox_id}/folders/{folder_id}',
  operationId: 'deleteFolder',
  resource: getFolder,
  tag: TAG,
  summary: 'Delete a folder with the folders in it',
  description: 'Their messages move to trash. If an inbox rule names the folder, change the rule first.',
  scope: 'mailboxes:write',
  status: 204,
  errors: ['not_found', 'mailbox_access_denied', 'system_folder', 'folder_in_use', 'forbidden'],
  async run(input, jmap) {
    const { id: accountId } = await openMailbox(input, jmap, input.params.mailbox_id)
    const folders = await readAll(jmap, accountId)
    const { id, role } = findFolder(folders, input.params.folder_id)
    if (role !== null) throw new ApiError('system_folder')
    // In one commit, with the folders that are below it then.
    const below = { onDestroyTrashEmails: true, onDestroyRemoveChildren: true }
    const { gone } = await jmap.call({ gone: set('Mailbox', { accountId, destroy: [id] }, below) })
    destroyed(gone, id, DELETE_RULES)
    return null
  },
})

async function readAll(jmap: JmapClient, accountId: string): Promise<readonly MailboxObject[]> {
  const { found } = await jmap.call({ found: get('Mailbox', { accountId, ids: null, properties: PROPERTIES }) })
  return found.list
}

/** @throws ApiError 404 */
function findFolder(folders: readonly MailboxObject[], given: string): MailboxObject {
  const id = knownId(given, 'folder')
  const folder = folders.find((one) => one.id === id)
  if (!folder) throw notFound('folder')
  return folder
}

/** Decision D9. @throws ApiError 404 for an unknown parent, 422 for one that takes no folders */
function checkParent(folders: readonly MailboxObject[], parentId: string): void {
  const parent = folders.find(({ id }) => id === parentId)
  if (!parent) throw notFound('parent folder')
  if (isRejected(parent)) throw invalid('parent_id', 'not_allowed', `A folder cannot be in ${parent.role}.`)
}

type Place = Pick<MailboxObject, 'id' | 'name' | 'sortOrder'>

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

/** Decision D9: by sort_order, then by name. */
export function byPlace(a: Place, b: Place): number {
  return a.sortOrder - b.sortOrder || a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1)
}

function toFolder(folder: MailboxObject): s.Infer<typeof Folder> {
  return toSnake(Folder, folder, { kind: kindOf(folder), unread_threads: folder.ownUnreadThreads })
}

export function kindOf({ role }: Pick<MailboxObject, 'role'>): 'custom' | 'system' {
  return role === null ? 'custom' : 'system'
}

export const folderEndpoints = [listFolders, createFolder, getFolder, updateFolder, deleteFolder]
