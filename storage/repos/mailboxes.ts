/** Rows of mailboxes (REST calls them folders). */
import type { AccountUnit, Reader } from '../ports.ts'
import type { MailboxTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const every = statement<{ account: number }>()((db, p) =>
  db.selectFrom('mailbox').selectAll().where('account', '=', p('account')).orderBy('id'),
)

export function listMailboxes(reader: Reader, account: number): Promise<MailboxTable[]> {
  return reader.sql.all(every, { account })
}

const withRole = statement<{ account: number }>()((db, p) =>
  db.selectFrom('mailbox').select(['id', 'role']).where('account', '=', p('account')).where('role', 'is not', null),
)

/** Numbers of the mailboxes with a role, by role. */
export async function mailboxRoles(reader: Reader, account: number): Promise<Map<string, number>> {
  return new Map((await reader.sql.all(withRole, { account })).map(({ id, role }) => [role!, id]))
}

export async function insertMailbox(unit: AccountUnit, row: MailboxTable): Promise<void> {
  await unit.sql.query((db) => db.insertInto('mailbox').values(row))
}

export type MailboxChanges = Partial<
  Pick<MailboxTable, 'name' | 'name_key' | 'parent' | 'role' | 'sort_order' | 'is_subscribed'>
>

export async function updateMailbox(unit: AccountUnit, id: number, set: MailboxChanges): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('mailbox').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

export async function deleteMailbox(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('mailbox').where('account', '=', unit.account).where('id', '=', id))
}

export interface CountDeltas {
  total_emails: number
  unread_emails: number
  total_threads: number
  unread_threads: number
  own_unread_threads: number
}

const count = statement<{ account: number; id: number; te: number; ue: number; tt: number; ut: number; ot: number }>()(
  (db, p) =>
    db
      .updateTable('mailbox')
      .set((eb) => ({
        total_emails: eb('total_emails', '+', p('te')),
        unread_emails: eb('unread_emails', '+', p('ue')),
        total_threads: eb('total_threads', '+', p('tt')),
        unread_threads: eb('unread_threads', '+', p('ut')),
        own_unread_threads: eb('own_unread_threads', '+', p('ot')),
      }))
      .where('account', '=', p('account'))
      .where('id', '=', p('id')),
)

export async function addToCounts(unit: AccountUnit, id: number, d: CountDeltas): Promise<void> {
  await unit.sql.all(count, {
    account: unit.account,
    id,
    te: d.total_emails,
    ue: d.unread_emails,
    tt: d.total_threads,
    ut: d.unread_threads,
    ot: d.own_unread_threads,
  })
}
