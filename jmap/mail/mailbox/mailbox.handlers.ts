/**
 * Handlers of Mailbox: RFC 8621 2. Vendor extension: a mailbox that inbox rules move mail to is not destroyed. The SetError is
 * `mailboxUsedByRule`, whose `rules` are `{id, name}` of each (decision D9).
 */
import type { JsonObject } from '../../../server/base/json.ts'
import { MAX_SIZE_MAILBOX_NAME } from '../../../server/base/limits.ts'
import { emailsInMailbox } from '../../../storage/repos/mailbox-emails.ts'
import { deleteMailbox, insertMailbox, listMailboxes, updateMailbox } from '../../../storage/repos/mailboxes.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { nameKey } from '../../message/mailbox-name.ts'
import { mailboxUsedByRule, setError, type UsingRule } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf, PatchedOf } from '../../type/derived.ts'
import type { Handlers, UpdateChange, WriteContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { rulesMovingTo } from '../inbox-rules/using.ts'
import { forgetRoles } from './counts.ts'
import { inboxFault, mailboxFault } from './faults.ts'
import { Mailbox, type MailboxRole } from './mailbox.type.ts'
import { queryMailboxes } from './query.ts'
import { recountAccount } from './recount.ts'
import { removeEmails, trashBeside } from './remove-emails.ts'
import { rightsIn } from './rights.ts'

const COUNT_NAMES = ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads', 'ownUnreadThreads']

type Change = UpdateChange<typeof Mailbox, unknown>

export const mailboxHandlers: Handlers<typeof Mailbox> = {
  async all({ method, reader }, limit) {
    return (await listMailboxes(reader, method.account.number)).slice(0, limit).map((row) => row.id)
  },

  async load({ method, reader }, { numbers, properties }) {
    const wanted = new Set(numbers)
    const rows = (await listMailboxes(reader, method.account.number)).filter((row) => wanted.has(row.id))
    return new Map(rows.map((row) => [row.id, pick(presentMailbox(method, row), properties)]))
  },

  async loadAll({ method, reader }, { properties }, limit) {
    const rows = (await listMailboxes(reader, method.account.number)).slice(0, limit)
    return new Map(rows.map((row) => [row.id, pick(presentMailbox(method, row), properties)]))
  },

  query: queryMailboxes,

  /** RFC 8621 2, RFC 5198: a name is stored in Normalization Form C. */
  canonical(object) {
    const { name } = object
    // A name that is too long is refused later.
    if (typeof name !== 'string' || name.length > MAX_SIZE_MAILBOX_NAME || name === name.normalize('NFC'))
      return { value: object, differing: [] }
    return { value: { ...object, name: name.normalize('NFC') }, differing: ['name'] }
  },

  /** RFC 8621 2.3: in a tree, a moved mailbox moves others, and filterAsTree reads more than one mailbox. */
  canCalculateChanges: ({ args }) => !args.sortAsTree && !args.filterAsTree,

  /** RFC 8621 2.2: if only counts changed, clients need fetch nothing else. */
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
    unit.change(Mailbox.name, id, 'c')
    return { created: { number: id, serverSet: told(presentMailbox(method, row)) } }
  },

  async update(write, number, change) {
    if (change.changed.length === 0) return { updated: null }
    const rows = await listMailboxes(write.unit, write.unit.account)
    const next = withColumns(rows, new Map([[number, columnsOf(write.method, change.next)]]))
    const error = mailboxFault(write.method, next, change.next, number) ?? inboxFault(next)
    if (error) return { error }
    await writeUpdates(write, rows, new Map([[number, change]]))
    return { updated: null }
  },

  async updateTogether(write, changes) {
    const rows = await listMailboxes(write.unit, write.unit.account)
    const columns = new Map([...changes].map(([number, { next }]) => [number, columnsOf(write.method, next)]))
    const next = withColumns(rows, columns)
    const isWrong = [...changes].some(([number, change]) => mailboxFault(write.method, next, change.next, number))
    if (isWrong || inboxFault(next)) return false
    await writeUpdates(write, rows, changes)
    return true
  },

  async destroy(write, number) {
    const { unit } = write
    const rows = await listMailboxes(unit, unit.account)
    const row = rows.find(({ id }) => id === number)
    if (!row) return setError('notFound')
    const below = mailboxesBelow(rows, number)
    // RFC 8621 2.5: children must be destroyed first, even if emails may be removed.
    if (below.length > 0 && !write.args.onDestroyRemoveChildren) return setError('mailboxHasChild')
    if (row.role === 'inbox') return setError('forbidden', 'The inbox cannot be destroyed.')
    if (below.some(({ role }) => role !== null)) return setError('forbidden', 'A mailbox with a role is below it.')
    const trash = write.args.onDestroyTrashEmails ? trashBeside(rows, number) : null
    const doomed: Doomed[] = []
    for (const { id } of [row, ...below].reverse())
      doomed.push({ mailbox: id, trash, emails: await emailsInMailbox(unit, unit.account, id) })
    const error = await doomedFault(write, doomed)
    if (error) return error
    for (const one of doomed) {
      await removeEmails(write.method.services, unit, one)
      await deleteMailbox(unit, one.mailbox)
      unit.change(Mailbox.name, one.mailbox, 'd')
    }
    forgetRoles(unit)
    if (row.role === 'trash') await recountAccount(unit)
    return null
  },
}

type Doomed = Parameters<typeof removeEmails>[2]

/** Outermost first. */
function mailboxesBelow(rows: readonly MailboxTable[], mailbox: number): MailboxTable[] {
  const children = rows.filter(({ parent }) => parent === mailbox)
  return [...children, ...children.flatMap(({ id }) => mailboxesBelow(rows, id))]
}

/** Why mailboxes cannot be deleted, before any is. */
async function doomedFault({ unit, method, args }: WriteContext<typeof Mailbox>, doomed: readonly Doomed[]) {
  const users = new Map<string, UsingRule>()
  for (const { mailbox } of doomed)
    for (const user of await rulesMovingTo(unit, method.id(Mailbox, mailbox))) users.set(user.id, user)
  if (users.size > 0) return mailboxUsedByRule([...users.values()])
  const isKept = ({ emails, trash }: Doomed) => emails.length > 0 && trash === null
  return doomed.some(isKept) && !args.onDestroyRemoveEmails ? setError('mailboxHasEmail') : null
}

/** RFC 8620 5.3: all properties that the client may not know. */
function told(mailbox: ObjectOf<typeof Mailbox>): JsonObject {
  const names = Object.entries(Mailbox.properties).filter(([name, property]) => name !== 'id' && !property.notByDefault)
  return pick(
    mailbox,
    names.map(([name]) => name),
  )
}

/** The rows after the change. */
function withColumns(rows: readonly MailboxTable[], columns: ReadonlyMap<number, Columns>): MailboxTable[] {
  return rows.map((row) => ({ ...row, ...columns.get(row.id) }))
}

async function writeUpdates(
  { unit, method }: WriteContext<typeof Mailbox>,
  rows: readonly MailboxTable[],
  changes: ReadonlyMap<number, Change>,
): Promise<void> {
  // Names may be exchanged: each name is freed before it is used again.
  if (changes.size > 1)
    for (const number of changes.keys()) await updateMailbox(unit, number, { name_key: `\n${number}` })
  for (const [number, { next, changed }] of changes) {
    await updateMailbox(unit, number, columnsOf(method, next))
    unit.change(Mailbox.name, number, 'u', changed)
  }
  forgetRoles(unit)
  // The unread counts depend on which mailbox is the Trash.
  const trashOf = (list: readonly MailboxTable[]) => list.find(({ role }) => role === 'trash')?.id
  if (trashOf(rows) !== trashOf(await listMailboxes(unit, unit.account))) await recountAccount(unit)
}

export function presentMailbox(method: MethodContext, row: MailboxTable): ObjectOf<typeof Mailbox> {
  return {
    id: method.id(Mailbox, row.id),
    name: row.name,
    parentId: row.parent === 0 ? null : method.id(Mailbox, row.parent),
    role: row.role as MailboxRole | null,
    sortOrder: row.sort_order,
    totalEmails: row.total_emails,
    unreadEmails: row.unread_emails,
    totalThreads: row.total_threads,
    unreadThreads: row.unread_threads,
    ownUnreadThreads: row.own_unread_threads,
    myRights: rightsIn(method, row),
    isSubscribed: row.is_subscribed === 1,
  }
}

type Columns = Pick<MailboxTable, 'name' | 'name_key' | 'parent' | 'role' | 'sort_order' | 'is_subscribed'>

/** The properties that a client may set. */
export type Settable = Pick<PatchedOf<typeof Mailbox>, 'name' | 'parentId' | 'role' | 'sortOrder' | 'isSubscribed'>

function columnsOf(method: MethodContext, object: Settable): Columns {
  const { name, parentId, role, sortOrder, isSubscribed } = object
  return {
    name,
    name_key: nameKey(name),
    parent: parentId === null ? 0 : (method.number(Mailbox, parentId) ?? 0),
    role,
    sort_order: sortOrder,
    is_subscribed: Number(isSubscribed),
  }
}
