/** Rows of accounts. */
import type { Reader, Sql } from '../ports.ts'
import type { AccountTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const lock = statement<{ id: number }>()((db, p) =>
  db
    .updateTable('account')
    .set((eb) => ({ seq: eb.ref('seq') }))
    .where('id', '=', p('id'))
    .returning(['seq', 'next_object', 'used_bytes', 'kind', 'organization', 'deleted_at']),
)

/** Locks the account's row until the end of the transaction. */
export async function lockAccount(sql: Sql, id: number) {
  const [row] = await sql.all(lock, { id })
  return row
}

const save = statement<{ id: number; seq: number; next_object: number; used_bytes: number }>()((db, p) =>
  db
    .updateTable('account')
    .set({ seq: p('seq'), next_object: p('next_object'), used_bytes: p('used_bytes') })
    .where('id', '=', p('id')),
)

export async function saveAccount(sql: Sql, row: Pick<AccountTable, 'id' | 'seq' | 'next_object' | 'used_bytes'>) {
  await sql.all(save, row)
}

export async function insertAccount(sql: Sql, row: AccountTable): Promise<void> {
  await sql.query((db) => db.insertInto('account').values(row))
}

/** The next account number, from a counter that all nodes share. No number is used twice. */
export async function nextAccount(sql: Sql): Promise<number> {
  const [row] = await sql.query((db) =>
    db
      .insertInto('installation')
      .values({ name: 'newest_account', value: '1' })
      .onConflict((oc) =>
        oc.column('name').doUpdateSet((eb) => ({
          value: eb.cast<string>(eb(eb.cast<number>('installation.value', 'integer'), '+', 1), 'text'),
        })),
      )
      .returning('value'),
  )
  return Number(row!.value)
}

const sumBytes = statement<{ organization: number }>()((db, p) =>
  db
    .selectFrom('account')
    .select((eb) => eb.fn.sum<number | string | null>('used_bytes').as('bytes'))
    .where('organization', '=', p('organization'))
    .where('deleted_at', 'is', null),
)

/** Octets of all messages in the mailboxes of an organization. */
export async function usedBytesOf(reader: Reader, organization: number): Promise<number> {
  const [row] = await reader.sql.all(sumBytes, { organization })
  return Number(row?.bytes ?? 0)
}

const find = statement<{ id: number }>()((db, p) => db.selectFrom('account').selectAll().where('id', '=', p('id')))

/** null: the account does not exist or was deleted. */
export async function findAccount(reader: Reader, id: number): Promise<AccountTable | null> {
  const row = await findAnyAccount(reader, id)
  return row && row.deleted_at === null ? row : null
}

/** Also one that was deleted and is not yet erased. */
export async function findAnyAccount(reader: Reader, id: number): Promise<AccountTable | null> {
  const [row] = await reader.sql.all(find, { id })
  if (row) reader.memo?.note(id, row.seq)
  return row ?? null
}

export async function updateAccount(
  reader: Reader,
  id: number,
  set: Partial<Pick<AccountTable, 'name' | 'suspended_at' | 'deleted_at'>>,
): Promise<void> {
  await reader.sql.query((db) => db.updateTable('account').set(set).where('id', '=', id))
}

/** Organizations, or the mailbox accounts of one. */
export function listAccounts(
  reader: Reader,
  of: { organization?: number; kind: AccountTable['kind'] },
): Promise<AccountTable[]> {
  return reader.sql.query((db) => {
    let query = db
      .selectFrom('account')
      .selectAll()
      .where('kind', '=', of.kind)
      .where('deleted_at', 'is', null)
      .orderBy('id')
    if (of.organization !== undefined) query = query.where('organization', '=', of.organization)
    return query
  })
}

/** Numbers of accounts, including deleted ones, in ascending order. */
export async function accountsAfter(reader: Reader, after: number, limit: number): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('account').select('id').where('id', '>', after).orderBy('id').limit(limit),
  )
  return rows.map(({ id }) => id)
}

/** Numbers of mailbox accounts that were not deleted, in ascending order. */
export async function mailboxAccountsAfter(reader: Reader, after: number, limit: number): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('account')
      .select('id')
      .where('id', '>', after)
      .where('kind', '=', 'mailbox')
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(limit),
  )
  return rows.map(({ id }) => id)
}

/** Whether the change log of an account has rows older than `before` (epoch ms). */
export async function hasChangesBefore(reader: Reader, account: number, before: number): Promise<boolean> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('change').select('seq').where('account', '=', account).where('at', '<', before).limit(1),
  )
  return rows.length > 0
}
