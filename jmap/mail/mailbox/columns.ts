/** Mailbox between its row and its properties (RFC 8621 2). */
import type { JsonObject } from '../../../server/base/json.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { nameKey } from '../../message/mailbox-name.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf, PatchedOf } from '../../type/derived.ts'
import { pick } from '../../type/methods/get.ts'
import { Mailbox, type MailboxRole } from './mailbox.type.ts'
import { rightsIn } from './rights.ts'

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

/** RFC 8620 5.3: all properties of a new mailbox that the client may not know. */
export function toldOfNew(method: MethodContext, row: MailboxTable): JsonObject {
  const shown = Object.entries(Mailbox.properties).filter(([name, property]) => name !== 'id' && !property.notByDefault)
  return pick(
    presentMailbox(method, row),
    shown.map(([name]) => name),
  )
}

export type Columns = Pick<MailboxTable, 'name' | 'name_key' | 'parent' | 'role' | 'sort_order' | 'is_subscribed'>

/** The properties that a client may set. */
type Settable = Pick<PatchedOf<typeof Mailbox>, 'name' | 'parentId' | 'role' | 'sortOrder' | 'isSubscribed'>

/** Parent of a mailbox that names none of this account. */
const NO_MAILBOX = -1

export function columnsOf(method: MethodContext, object: Settable): Columns {
  const { name, parentId, role, sortOrder, isSubscribed } = object
  return {
    name,
    name_key: nameKey(name),
    parent: parentId === null ? 0 : (method.number(Mailbox, parentId) ?? NO_MAILBOX),
    role,
    sort_order: sortOrder,
    is_subscribed: Number(isSubscribed),
  }
}
