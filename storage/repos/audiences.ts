/** Rows of audiences. */
import { sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { AudienceTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const byId = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('audience').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findAudience(reader: Reader, account: number, id: number): Promise<AudienceTable | null> {
  const [row] = await reader.sql.all(byId, { account, id })
  return row ?? null
}

const insert = insertRow('audience')

export async function insertAudience(unit: AccountUnit, row: AudienceTable): Promise<void> {
  await unit.sql.all(insert, row)
}

export async function updateAudience(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<AudienceTable, 'name' | 'description' | 'signup_page' | 'updated_at'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('audience').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

const addCounts = statement<{ account: number; id: number; members: number; subscribed: number }>()((db, p) =>
  db
    .updateTable('audience')
    .set({
      member_count: sql<number>`member_count + ${p('members')}`,
      subscribed_count: sql<number>`subscribed_count + ${p('subscribed')}`,
    })
    .where('account', '=', p('account'))
    .where('id', '=', p('id')),
)

/** Adds to the counts of an audience. */
export async function addToCounts(
  unit: AccountUnit,
  id: number,
  { members = 0, subscribed = 0 }: { readonly members?: number; readonly subscribed?: number },
): Promise<void> {
  await unit.sql.all(addCounts, { account: unit.account, id, members, subscribed })
}

/** Its row alone. */
export async function deleteAudience(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('audience').where('account', '=', unit.account).where('id', '=', id))
}
