/** Objects of JMAP types without a table of their own: one JSON text per object. */
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import { statement } from '../statement.ts'

/** Number of the only object of a type that each account has from the start, such as its VacationResponse. */
export const SINGLETON = 0

export interface StoredObject<T extends object = Record<string, unknown>> {
  readonly id: number
  readonly data: T
}

const one = statement<{ account: number; type: string; id: number }>()((db, p) =>
  db
    .selectFrom('object')
    .select(['id', 'data'])
    .where('account', '=', p('account'))
    .where('type', '=', p('type'))
    .where('id', '=', p('id')),
)

/** @template T the shape that the caller knows the type to have */
export async function findObject<T extends object = Record<string, unknown>>(
  reader: Reader,
  account: number,
  type: string,
  id: number,
): Promise<StoredObject<T> | null> {
  const [row] = await reader.sql.all(one, { account, type, id })
  return row ? { id: row.id, data: JSON.parse(row.data) } : null
}

const every = statement<{ account: number; type: string }>()((db, p) =>
  db
    .selectFrom('object')
    .select(['id', 'data'])
    .where('account', '=', p('account'))
    .where('type', '=', p('type'))
    .orderBy('id'),
)

/** All objects of a type in an account, oldest first. */
export async function listObjects<T extends object = Record<string, unknown>>(
  reader: Reader,
  account: number,
  type: string,
): Promise<StoredObject<T>[]> {
  const rows = await reader.sql.all(every, { account, type })
  return rows.map((row) => ({ id: row.id, data: JSON.parse(row.data) }))
}

const insert = insertRow('object')

export async function insertObject(
  reader: Reader,
  account: number,
  type: string,
  object: StoredObject<object>,
  now: number,
): Promise<void> {
  await reader.sql.all(insert, { account, type, id: object.id, data: JSON.stringify(object.data), created_at: now })
}

const update = statement<{ account: number; type: string; id: number; data: string }>()((db, p) =>
  db
    .updateTable('object')
    .set({ data: p('data') })
    .where('account', '=', p('account'))
    .where('type', '=', p('type'))
    .where('id', '=', p('id')),
)

export async function updateObject(
  reader: Reader,
  account: number,
  type: string,
  object: StoredObject<object>,
): Promise<void> {
  await reader.sql.all(update, { account, type, id: object.id, data: JSON.stringify(object.data) })
}

const remove = statement<{ account: number; type: string; id: number }>()((db, p) =>
  db.deleteFrom('object').where('account', '=', p('account')).where('type', '=', p('type')).where('id', '=', p('id')),
)

export async function deleteObject(reader: Reader, account: number, type: string, id: number): Promise<void> {
  await reader.sql.all(remove, { account, type, id })
}

/** Writes the account's only object of a type. */
export async function saveSingleton(unit: AccountUnit, type: string, data: StoredObject['data']): Promise<void> {
  const object = { id: SINGLETON, data }
  if (await findObject(unit, unit.account, type, SINGLETON)) await updateObject(unit, unit.account, type, object)
  else await insertObject(unit, unit.account, type, object, unit.now)
}

/** Accounts that have objects of a type. It reads all objects. */
export async function accountsWithObjects(reader: Reader, type: string): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('object').select('account').distinct().where('type', '=', type).orderBy('account'),
  )
  return rows.map(({ account }) => account)
}

/** Mailbox accounts above a number that have no object of a type, ascending. */
export async function mailboxesWithout(reader: Reader, type: string, after: number, limit: number): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('account')
      .select('account.id')
      .where('account.kind', '=', 'mailbox')
      .where('account.deleted_at', 'is', null)
      .where('account.id', '>', after)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('object')
              .select('object.id')
              .whereRef('object.account', '=', 'account.id')
              .where('object.type', '=', type),
          ),
        ),
      )
      .orderBy('account.id')
      .limit(limit),
  )
  return rows.map(({ id }) => id)
}
