/** The folders of an account: LIST and STATUS to the folders of a source. */
import type { ImapFlow, ListResponse } from 'imapflow'
import { IMAP_FOLDERS_MAX, IMAP_KEY_MAX_CHARS } from '../../base/imap-limits.ts'
import { SourceError, type SourceRole } from '../import-source.ts'
import type { FolderList, ListedFolder } from './session-port.ts'

/** RFC 6154 2, and \Inbox as the library names it. \Flagged is a view of messages that are elsewhere, or an ordinary folder. */
const ROLES: { readonly [use: string]: SourceRole } = {
  '\\Inbox': 'inbox',
  '\\Sent': 'sent',
  '\\Drafts': 'drafts',
  '\\Junk': 'junk',
  '\\Trash': 'trash',
  '\\Archive': 'archive',
  '\\Important': 'important',
  '\\All': 'all',
}

/** Of Gmail's folders the ones that are read when All Mail is shown: it does not contain the other two. */
const GMAIL_ROLES: readonly (SourceRole | null)[] = ['all', 'junk', 'trash']
/** Views of Gmail whose messages are elsewhere. */
const GMAIL_VIEWS = ['\\Flagged', '\\Important']

/** Stands for UIDVALIDITY where the server does not say it: such a folder cannot be read, and the report says so. */
export const NO_GENERATION = 'none'

export async function listFolders(client: ImapFlow): Promise<FolderList> {
  const isGmail = client.capabilities.has('X-GM-EXT-1')
  const listed = await client.list({ statusQuery: { messages: true, uidValidity: true } })
  if (listed.length > IMAP_FOLDERS_MAX)
    throw new SourceError('unusable', `The account has more than ${IMAP_FOLDERS_MAX} folders.`)
  const prefixes = namespacesOf(client)
  // The library puts the personal prefix before names of other namespaces.
  const isOwn = ({ pathAsListed }: ListResponse) => !prefixes.others.some((prefix) => pathAsListed.startsWith(prefix))
  const own = listed.filter((entry) => isReadable(entry) && isOwn(entry))
  const folders = uniqueByKey(own.map((entry) => toFolder(entry, prefixes.personal, isGmail)))
  return { isGmail, folders: inReadingOrder(isGmail ? gmailFolders(folders, own) : folders) }
}

/** RFC 3501 9: no name has NUL. A folder that is listed with one could not be opened, and its name not be stored. */
function isReadable({ path, flags }: ListResponse): boolean {
  const isName = path !== '' && path.length <= IMAP_KEY_MAX_CHARS && !path.includes('\0')
  return isName && !flags.has('\\Noselect') && !flags.has('\\NonExistent')
}

/** RFC 2342 5: folders of other users, and shared ones, are not the account's own mail. */
function namespacesOf(client: ImapFlow): { personal: string; others: string[] } {
  const { personal, other, shared } = client.namespaces ?? {}
  const prefixes = [...(other || []), ...(shared || [])].map(({ prefix }) => prefix ?? '')
  return { personal: personal?.[0]?.prefix || '', others: prefixes.filter((prefix) => prefix !== '') }
}

function toFolder(entry: ListResponse, personal: string, isGmail: boolean): ListedFolder {
  const { path: key, delimiter, specialUse, status } = entry
  const role = (specialUse !== undefined && ROLES[specialUse]) || null
  const name = key !== 'INBOX' && personal !== '' && key.startsWith(personal) ? key.slice(personal.length) : key
  const path = (delimiter ? name.split(delimiter) : [name]).filter((part) => part !== '')
  const hasStatus = status !== undefined && !('error' in status) && status.uidValidity !== undefined
  return {
    key,
    path: path.length > 0 ? path : [key],
    role,
    total: (hasStatus && status.messages) || (hasStatus ? 0 : null),
    generation: hasStatus ? String(status.uidValidity) : NO_GENERATION,
    isLabel: isGmail && role !== 'all',
  }
}

/** A server may list a folder twice; INBOX in any case is one. */
function uniqueByKey(folders: readonly ListedFolder[]): ListedFolder[] {
  return [...new Map(folders.map((folder) => [folder.key, folder])).values()]
}

/** All Mail may be hidden from IMAP in Gmail's settings: then the folders of labels are read one by one. */
function gmailFolders(folders: readonly ListedFolder[], listed: readonly ListResponse[]): ListedFolder[] {
  if (folders.some(({ role }) => role === 'all')) return folders.filter(({ role }) => GMAIL_ROLES.includes(role))
  const views = new Set(
    listed.filter(({ flags }) => GMAIL_VIEWS.some((view) => flags.has(view))).map(({ path }) => path),
  )
  return folders.filter(({ key }) => !views.has(key))
}

/** The inbox first: it is what people look for. */
function inReadingOrder(folders: readonly ListedFolder[]): ListedFolder[] {
  const rank = ({ role }: ListedFolder) => (role === 'inbox' ? 0 : role === 'trash' || role === 'junk' ? 2 : 1)
  return folders.toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1))
}
