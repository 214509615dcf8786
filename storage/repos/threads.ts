/** Rows of threads, of their counts in each mailbox, and of the references that lead to them. */
import { amongNumbers } from '../among-numbers.ts'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { ThreadMailboxTable, ThreadTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const one = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('thread').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findThread(reader: Reader, account: number, id: number): Promise<ThreadTable | null> {
  const [row] = await reader.sql.all(one, { account, id })
  return row ?? null
}

const several = statement<{ account: number; ids: string }>()((db, p) =>
  db
    .selectFrom('thread')
    .selectAll()
    .where('account', '=', p('account'))
    .where(amongNumbers(db, 'id', p('ids'))),
)

/** The threads that exist, in no order. */
export function findThreads(reader: Reader, account: number, ids: readonly number[]): Promise<ThreadTable[]> {
  return reader.sql.all(several, { account, ids: JSON.stringify(ids) })
}

const save = insertRow('thread', (query) =>
  query.onConflict((oc) =>
    oc.columns(['account', 'id']).doUpdateSet(({ ref }) => ({
      total: ref('excluded.total'),
      unread_elsewhere: ref('excluded.unread_elsewhere'),
      unread_in_trash: ref('excluded.unread_in_trash'),
      latest_at: ref('excluded.latest_at'),
      latest_email: ref('excluded.latest_email'),
    })),
  ),
)

export async function saveThread(unit: AccountUnit, row: ThreadTable): Promise<void> {
  await unit.sql.all(save, row)
}

const removeThread = statement<{ account: number; id: number }>()((db, p) =>
  db.deleteFrom('thread').where('account', '=', p('account')).where('id', '=', p('id')),
)
const removeRefs = statement<{ account: number; thread: number }>()((db, p) =>
  db.deleteFrom('thread_ref').where('account', '=', p('account')).where('thread', '=', p('thread')),
)

export async function deleteThread(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.all(removeThread, { account: unit.account, id })
  await unit.sql.all(removeRefs, { account: unit.account, thread: id })
}

const counts = statement<{ account: number; thread: number }>()((db, p) =>
  db.selectFrom('thread_mailbox').selectAll().where('account', '=', p('account')).where('thread', '=', p('thread')),
)

export function threadMailboxes(reader: Reader, account: number, thread: number): Promise<ThreadMailboxTable[]> {
  return reader.sql.all(counts, { account, thread })
}

const saveCounts = insertRow('thread_mailbox', (query) =>
  query.onConflict((oc) =>
    oc.columns(['account', 'thread', 'mailbox']).doUpdateSet(({ ref }) => ({
      total: ref('excluded.total'),
      unread: ref('excluded.unread'),
    })),
  ),
)
const removeCounts = statement<{ account: number; thread: number; mailbox: number }>()((db, p) =>
  db
    .deleteFrom('thread_mailbox')
    .where('account', '=', p('account'))
    .where('thread', '=', p('thread'))
    .where('mailbox', '=', p('mailbox')),
)

export async function saveThreadMailbox(unit: AccountUnit, row: ThreadMailboxTable): Promise<void> {
  if (row.total > 0) await unit.sql.all(saveCounts, row)
  else await unit.sql.all(removeCounts, { account: row.account, thread: row.thread, mailbox: row.mailbox })
}

const byRef = statement<{ account: number; ref: string }>()((db, p) =>
  db
    .selectFrom('thread_ref')
    .select('thread')
    .where('account', '=', p('account'))
    .where('ref', '=', p('ref'))
    .orderBy('thread')
    .limit(1),
)

/** The oldest thread that one of the references leads to. Several prepared look-ups are faster than compiling a list. */
export async function findThreadByRefs(
  reader: Reader,
  account: number,
  refs: readonly string[],
): Promise<number | null> {
  let oldest: number | null = null
  for (const ref of refs) {
    const [row] = await reader.sql.all(byRef, { account, ref })
    if (row && (oldest === null || row.thread < oldest)) oldest = row.thread
  }
  return oldest
}

const addRef = insertRow('thread_ref', (query) =>
  query.onConflict((oc) => oc.columns(['account', 'ref', 'thread']).doNothing()),
)

export async function addThreadRefs(unit: AccountUnit, thread: number, refs: readonly string[]): Promise<void> {
  for (const ref of refs) await unit.sql.all(addRef, { account: unit.account, ref, thread })
}

export function listThreads(reader: Reader, account: number): Promise<ThreadTable[]> {
  return reader.sql.query((db) => db.selectFrom('thread').selectAll().where('account', '=', account).orderBy('id'))
}

/** The columns of all emails of an account from which the counts of threads are computed. */
export function listThreadEmails(reader: Reader, account: number) {
  return reader.sql.query((db) =>
    db
      .selectFrom('email')
      .select(['id', 'thread', 'unread', 'mailboxes', 'received_at'])
      .where('account', '=', account),
  )
}

export async function countThreads(reader: Reader, account: number): Promise<number> {
  const [row] = await reader.sql.query((db) =>
    db
      .selectFrom('thread')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account', '=', account),
  )
  return Number(row?.count ?? 0)
}
