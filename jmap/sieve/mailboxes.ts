/** The mailbox for a path or a special use in an account. */
import { MAX_MAILBOX_DEPTH, MAX_SIZE_MAILBOX_NAME } from '../../server/base/limits.ts'
import { nameKey } from '../message/mailbox-name.ts'
import type { SieveMailboxes } from './environment.ts'
import type { SieveTarget } from './outcome.ts'

/** RFC 8579 3: attributes of RFC 6154 that are also roles of RFC 8621 2. */
const ROLES = new Set(['archive', 'drafts', 'junk', 'sent', 'trash', 'all', 'flagged', 'important'])

/** The role of an attribute such as `\Junk`; null: mailboxes have no such role. */
export function roleOf(attribute: string): string | null {
  const name = attribute.slice(1).toLowerCase()
  return attribute.startsWith('\\') && ROLES.has(name) ? name : null
}

/** The mailbox that a path names, else the mailbox to create for it; null: no mailbox can have the path. */
export function targetOf(mailboxes: SieveMailboxes, path: string, role: string | null): SieveTarget | null {
  const id = mailboxes.find(path)
  if (id !== null) return { id, path }
  const names = path.split('/').map((name) => name.trim().normalize('NFC'))
  if (names.length > 1 && isInbox(names[0]!)) names.shift()
  if (names.length > MAX_MAILBOX_DEPTH || names.some((name) => !isName(name))) return null
  return { create: names, role, path }
}

function isName(name: string): boolean {
  return name !== '' && Buffer.byteLength(name) <= MAX_SIZE_MAILBOX_NAME && !/[\p{Cc}\p{Cn}\p{Cs}]/u.test(name)
}

function isInbox(name: string): boolean {
  return name.toLowerCase() === 'inbox'
}

/** Rows of the account's mailboxes; `parent` is 0 at the top. */
export interface MailboxRow {
  readonly id: number
  readonly name: string
  readonly parent: number
  readonly role: string | null
}

/**
 * A path is names separated by slashes, compared as mailbox names are. `INBOX` is the inbox, whatever its name. A path below `INBOX`
 * also finds a mailbox at the top, because many servers put all mailboxes below the inbox.
 */
export function mailboxPaths(rows: readonly MailboxRow[]): SieveMailboxes {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const paths = new Map<string, number>()
  const roles = new Map<string, number>()
  for (const row of rows) {
    const names: string[] = []
    for (let at: MailboxRow | undefined = row; at && names.length <= rows.length; at = byId.get(at.parent))
      names.unshift(nameKey(at.name))
    paths.set(names.join('/'), row.id)
    if (row.role !== null) roles.set(row.role, row.id)
  }
  return {
    find(path) {
      const names = path.split('/').map((name) => nameKey(name.trim()))
      if (!isInbox(names[0]!)) return paths.get(names.join('/')) ?? null
      if (names.length === 1) return roles.get('inbox') ?? null
      return paths.get(names.join('/')) ?? paths.get(names.slice(1).join('/')) ?? null
    },
    ofRole: (role) => roles.get(role) ?? null,
  }
}
