/** Objects of JMAP types without a table of their own: one JSON text per object. */
import type { AccountUnit, Reader } from '../ports.ts'
import { statement } from '../statement.ts'

/** Number of the only object of a type that each account has from the start, such as its VacationResponse. */
export const SINGLETON = 0

export interface StoredObject {
  readonly id: number
  readonly data: Record<string, unknown>
}

const one = statement<{ account: number; type: string; id: number }>()((db, p) =>
  db
    .selectFrom('object')
    .select(['id', 'data'])
    .where('account', '=', p('account'))
    .where('type', '=', p('type'))
    .where('id', '=', p('id')),
)

export async function findObject(
  reader: Reader,
  account: number,
  type: string,
  id: number,
): Promise<StoredObject | null> {
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
export async function listObjects(reader: Reader, account: number, type: string): Promise<StoredObject[]> {
  const rows = await reader.sql.all(every, { account, type })
  return rows.map((row) => ({ id: row.id, data: JSON.parse(row.data) }))
}

const insert = statement<{ account: number; type: string; id: number; data: string; created_at: number }>()((db, p) =>
  db.insertInto('object').values({
    account: p('account'),
    type: p('type'),
    id: p('id'),
    data: p('data'),
    created_at: p('created_at'),
  }),
)

export async function insertObject(
  reader: Reader,
  account: number,
  type: string,
  object: StoredObject,
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

export async function updateObject(reader: Reader, account: number, type: string, object: StoredObject): Promise<void> {
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
