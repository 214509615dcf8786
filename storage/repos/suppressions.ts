/** Rows of suppressions: addresses that an organization sends nothing to. */
import { sql } from 'kysely'
import type { AccountUnit, QueryBuilder, Reader } from '../ports.ts'
import type { SuppressionTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const ofAddress = statement<{ account: number; address: string }>()((db, p) =>
  db.selectFrom('suppression').selectAll().where('account', '=', p('account')).where('address', '=', p('address')),
)

/** @param address normalized */
export async function findSuppression(
  reader: Reader,
  account: number,
  address: string,
): Promise<SuppressionTable | null> {
  const [row] = await reader.sql.all(ofAddress, { account, address })
  return row ?? null
}

export async function findSuppressions(
  reader: Reader,
  account: number,
  ids: readonly number[],
): Promise<SuppressionTable[]> {
  if (ids.length === 0) return []
  return reader.sql.query((db) =>
    db
      .selectFrom('suppression')
      .selectAll()
      .where('account', '=', account)
      .where('id', 'in', [...ids]),
  )
}

export interface SuppressionQuery {
  readonly account: number
  readonly address?: string
  readonly reason?: string
  /** Only suppressions that were added before the one with this number. */
  readonly before?: number
  readonly oldestFirst: boolean
}

function matching({ account, address, reason, before }: SuppressionQuery, db: QueryBuilder) {
  return db
    .selectFrom('suppression')
    .where('account', '=', account)
    .$if(address !== undefined, (q) => q.where('address', '=', address!))
    .$if(reason !== undefined, (q) => q.where('reason', '=', reason as SuppressionTable['reason']))
    .$if(before !== undefined, (q) => q.where('id', '<', before!))
}

/** Numbers in the order of their creation. */
export async function selectSuppressions(
  reader: Reader,
  query: SuppressionQuery,
  position: number,
  limit: number,
): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    matching(query, db)
      .select('id')
      .orderBy('id', query.oldestFirst ? 'asc' : 'desc')
      .limit(sql.lit(limit))
      .offset(sql.lit(position)),
  )
  return rows.map(({ id }) => id)
}

export async function countSuppressions(reader: Reader, query: SuppressionQuery): Promise<number> {
  const [row] = await reader.sql.query((db) => matching(query, db).select((eb) => eb.fn.countAll().as('count')))
  return Number(row!.count)
}

/** All suppressions of an organization, oldest first. */
export function listSuppressions(reader: Reader, account: number): Promise<SuppressionTable[]> {
  return reader.sql.query((db) => db.selectFrom('suppression').selectAll().where('account', '=', account).orderBy('id'))
}

export async function insertSuppression(unit: AccountUnit, row: SuppressionTable): Promise<void> {
  await unit.sql.query((db) => db.insertInto('suppression').values(row))
}

export async function deleteSuppression(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.query((db) => db.deleteFrom('suppression').where('account', '=', unit.account).where('id', '=', id))
}
