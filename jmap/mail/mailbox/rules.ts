/** Rules of Mailbox: RFC 8621 2. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { emailsInMailbox, findEmails } from '../../../storage/repos/emails.ts'
import { deleteMailbox, insertMailbox, listMailboxes, updateMailbox } from '../../../storage/repos/mailboxes.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { fold } from '../../../storage/search/tokens.ts'
import type { MethodContext } from '../../context.ts'
import type { JsonObject } from '../../core.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import { pick } from '../../type/methods/get.ts'
import type { Rules } from '../../type/rules.ts'
import { forgetRoles } from '../counts.ts'
import { parseMailboxes } from '../email/load.ts'
import { destroyEmail, moveEmail } from '../email/rules.ts'
import { parseKeywords } from '../keywords.ts'
import { recountAccount } from '../recount.ts'
import { queryMailboxes } from './query.ts'

/** RFC 8621 2: the owner of the account may do everything; the roles of the system cannot be given away by renaming. */
const OWNER_RIGHTS = {
  mayReadItems: true,
  mayAddItems: true,
  mayRemoveItems: true,
  maySetSeen: true,
  maySetKeywords: true,
  mayCreateChild: true,
  mayRename: true,
  mayDelete: true,
  maySubmit: true,
}

const COUNT_NAMES = ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads', 'ownUnreadThreads']

export const mailboxRules: Rules = {
  async all({ method, reader }, limit) {
    return (await listMailboxes(reader, method.account.number)).slice(0, limit).map((row) => row.id)
  },

  async load({ method, reader }, { numbers, properties }) {
    const wanted = new Set(numbers)
    const rows = (await listMailboxes(reader, method.account.number)).filter((row) => wanted.has(row.id))
    return new Map(rows.map((row) => [row.id, pick(presentMailbox(method, row), properties)]))
  },

  query: queryMailboxes,

  /** RFC 8621 2.5: moves in a tree move others with them; and a filter by tree reads more than the mailbox. */
  canCalculateChanges: ({ args }) => args['sortAsTree'] !== true && args['filterAsTree'] !== true,

  /** RFC 8621 2.2: when only counts changed, clients need fetch nothing else. */
  extraChanges(names) {
    const onlyCounts = names !== null && names.size > 0 && [...names].every((name) => COUNT_NAMES.includes(name))
    return { updatedProperties: onlyCounts ? [...names].filter((name) => name !== 'ownUnreadThreads') : null }
  },

  async create(write, input) {
    const { unit, method } = write
    const rows = await listMailboxes(unit, unit.account)
    const error = mailboxFault(method, rows, input, null)
    if (error) return { error }
    const id = unit.nextObject()
    const row: MailboxTable = {
      account: unit.account,
      id,
      ...columnsOf(method, input),
      total_emails: 0,
      unread_emails: 0,
      total_threads: 0,
      unread_threads: 0,
      own_unread_threads: 0,
      created_at: unit.now,
    }
    await insertMailbox(unit, row)
    forgetRoles(unit)
    unit.change('Mailbox', id, 'c')
    const { totalEmails, unreadEmails, totalThreads, unreadThreads, myRights } = presentMailbox(method, row)
    return {
      created: {
        number: id,
        serverSet: { totalEmails, unreadEmails, totalThreads, unreadThreads, myRights } as JsonObject,
      },
    }
  },

  async update(write, number, { next, changed }) {
    if (changed.length === 0) return { updated: null }
    const { unit, method } = write
    const rows = await listMailboxes(unit, unit.account)
    const before = rows.find((row) => row.id === number)!
    const error = mailboxFault(method, rows, next, number)
    if (error) return { error }
    const columns = columnsOf(method, next)
    await updateMailbox(unit, number, columns)
    forgetRoles(unit)
    unit.change('Mailbox', number, 'u', changed)
    // What counts as unread depends on which mailbox is the Trash.
    if ((before.role === 'trash') !== (columns.role === 'trash')) await recountAccount(unit)
    return { updated: null }
  },

  async destroy(write, number) {
    const { unit } = write
    const rows = await listMailboxes(unit, unit.account)
    const row = rows.find(({ id }) => id === number)
    if (!row) return setError('notFound')
    // RFC 8621 2.5: children first, also when emails are to be removed.
    if (rows.some(({ parent }) => parent === number)) return setError('mailboxHasChild')
    if (row.role === 'inbox') return setError('forbidden', 'The inbox cannot be destroyed.')
    const emails = await emailsInMailbox(unit, unit.account, number)
    if (emails.length > 0 && write.args['onDestroyRemoveEmails'] !== true) return setError('mailboxHasEmail')
    await removeEmails(unit, number, emails)
    await deleteMailbox(unit, number)
    forgetRoles(unit)
    unit.change('Mailbox', number, 'd')
    if (row.role === 'trash') await recountAccount(unit)
    return null
  },
}

/** RFC 8621 2.5: emails in no other mailbox are destroyed, the others only leave this one. */
async function removeEmails(unit: AccountUnit, mailbox: number, emails: readonly number[]): Promise<void> {
  for (const row of await findEmails(unit, unit.account, emails)) {
    const others = parseMailboxes(row.mailboxes).filter((other) => other !== mailbox)
    if (others.length === 0) await destroyEmail(unit, row.id)
    else await moveEmail(unit, row, others, parseKeywords(row.keywords))
  }
}

export function presentMailbox(method: MethodContext, row: MailboxTable): JsonObject {
  return {
    id: method.id('Mailbox', row.id),
    name: row.name,
    parentId: row.parent === 0 ? null : method.id('Mailbox', row.parent),
    role: row.role,
    sortOrder: row.sort_order,
    totalEmails: row.total_emails,
    unreadEmails: row.unread_emails,
    totalThreads: row.total_threads,
    unreadThreads: row.unread_threads,
    ownUnreadThreads: row.own_unread_threads,
    myRights: OWNER_RIGHTS,
    isSubscribed: row.is_subscribed === 1,
  }
}

type Columns = Pick<MailboxTable, 'name' | 'name_key' | 'parent' | 'role' | 'sort_order' | 'is_subscribed'>

function columnsOf(method: MethodContext, object: JsonObject): Columns {
  const name = (object['name'] as string).normalize('NFC')
  const parentId = object['parentId'] as string | null
  return {
    name,
    name_key: fold(name),
    parent: parentId === null ? 0 : method.number('Mailbox', parentId)!,
    role: object['role'] as string | null,
    sort_order: object['sortOrder'] as number,
    is_subscribed: Number(object['isSubscribed']),
  }
}

/** RFC 8621 2: names are unique among siblings, roles in the account; no mailbox is its own ancestor. */
function mailboxFault(
  method: MethodContext,
  rows: readonly MailboxTable[],
  object: JsonObject,
  own: number | null,
): SetError | null {
  const { limits } = method.services
  const name = object['name'] as string
  if (/[\x00-\x1f\x7f]/.test(name) || name.trim() === '' || Buffer.byteLength(name) > limits.maxSizeMailboxName)
    return invalidProperties(['name'], `A name has 1 to ${limits.maxSizeMailboxName} octets and no control characters.`)
  const parentId = object['parentId'] as string | null
  const parent = parentId === null ? 0 : method.number('Mailbox', parentId)
  const byId = new Map(rows.map((row) => [row.id, row]))
  if (parent === null || (parent !== 0 && !byId.has(parent)))
    return invalidProperties(['parentId'], 'There is no such mailbox.')
  let depth = 1
  for (let above = parent; above !== 0; above = byId.get(above)?.parent ?? 0) {
    if (above === own) return invalidProperties(['parentId'], 'A mailbox cannot be below itself.')
    depth++
  }
  if (depth + heightOf(rows, own) > limits.maxMailboxDepth)
    return invalidProperties(['parentId'], `Mailboxes nest at most ${limits.maxMailboxDepth} deep.`)
  const key = fold(name.normalize('NFC'))
  const sibling = rows.find((row) => row.parent === parent && row.name_key === key && row.id !== own)
  if (sibling) return alreadyExists(method.id('Mailbox', sibling.id), 'A mailbox of that name is there already.')
  const role = object['role'] as string | null
  if (role !== null && rows.some((row) => row.role === role && row.id !== own))
    return invalidProperties(['role'], 'Another mailbox has that role.')
  return null
}

/** Levels below a mailbox. */
function heightOf(rows: readonly MailboxTable[], id: number | null): number {
  if (id === null) return 0
  const children = rows.filter((row) => row.parent === id)
  return children.length === 0 ? 0 : 1 + Math.max(...children.map((child) => heightOf(rows, child.id)))
}

/** Mailboxes that every account begins with (api/decisions.md D9). */
export const SYSTEM_MAILBOXES = [
  ['Inbox', 'inbox', 10],
  ['Drafts', 'drafts', 20],
  ['Sent', 'sent', 30],
  ['Archive', 'archive', 40],
  ['Junk', 'junk', 50],
  ['Trash', 'trash', 60],
] as const

export async function createSystemMailboxes(unit: AccountUnit): Promise<void> {
  for (const [name, role, sortOrder] of SYSTEM_MAILBOXES) {
    const id = unit.nextObject()
    await insertMailbox(unit, {
      account: unit.account,
      id,
      name,
      name_key: fold(name),
      parent: 0,
      role,
      sort_order: sortOrder,
      is_subscribed: 1,
      total_emails: 0,
      unread_emails: 0,
      total_threads: 0,
      unread_threads: 0,
      own_unread_threads: 0,
      created_at: unit.now,
    })
    unit.change('Mailbox', id, 'c')
  }
}
