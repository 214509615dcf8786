/** The end of large audiences, whose subscribers are deleted in slices. Until then this table hides them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { AudienceRemovalTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { type Claim, claimRows, nextClaimAt } from './claim-rows.ts'

/** A condition on rows of `subscriber`: their audience was not deleted. */
export const OF_PRESENT_AUDIENCE: RawBuilder<SqlBool> = sql<SqlBool>`not exists (select 1 from audience_removal
  where audience_removal.account = subscriber.account and audience_removal.audience = subscriber.audience)`

const ofAccount = statement<{ account: number }>()((db, p) =>
  db.selectFrom('audience_removal').select('audience').where('account', '=', p('account')),
)

/** Numbers of audiences whose subscribers are being deleted. */
export async function removedAudiences(reader: Reader, account: number): Promise<number[]> {
  return (await reader.sql.all(ofAccount, { account })).map(({ audience }) => audience)
}

const insert = insertRow('audience_removal')

export async function insertRemoval(unit: AccountUnit, audience: number): Promise<void> {
  await unit.sql.all(insert, { account: unit.account, audience, due_at: unit.now, lease: null, lease_until: 0 })
}

export function claimRemovals(connection: Sql, claim: Claim): Promise<AudienceRemovalTable[]> {
  return claimRows(connection, 'audience_removal', claim)
}

/** Epoch ms when the first one may be claimed; null: there is none. */
export function nextRemovalAt(reader: Reader): Promise<number | null> {
  return nextClaimAt(reader, 'audience_removal')
}

/** Whether a worker still holds the removal. */
export async function holdsRemoval(unit: AccountUnit, audience: number, lease: string): Promise<boolean> {
  const rows = await unit.sql.query((db) =>
    db
      .selectFrom('audience_removal')
      .select('audience')
      .where('account', '=', unit.account)
      .where('audience', '=', audience)
      .where('lease', '=', lease),
  )
  return rows.length > 0
}

export async function deleteRemoval(unit: AccountUnit, audience: number): Promise<void> {
  await unit.sql.query((db) =>
    db.deleteFrom('audience_removal').where('account', '=', unit.account).where('audience', '=', audience),
  )
}

/** Deletes at most `limit` subscribers of an audience. @returns their numbers */
export async function deleteSomeSubscribers(unit: AccountUnit, audience: number, limit: number): Promise<number[]> {
  const { account } = unit
  const rows = await unit.sql.query((db) =>
    db
      .deleteFrom('subscriber')
      .where('account', '=', account)
      .where('id', 'in', (some) =>
        some
          .selectFrom('subscriber')
          .select('id')
          .where('account', '=', account)
          .where('audience', '=', audience)
          .orderBy('id')
          .limit(limit),
      )
      .returning('id'),
  )
  return rows.map(({ id }) => id)
}

/** Deletes at most `limit` sign-ups and leaves of an audience. @returns their number */
export async function deleteSomeTraces(unit: AccountUnit, audience: number, limit: number): Promise<number> {
  const { account } = unit
  let count = 0
  for (const name of ['sign_up', 'audience_leave']) {
    const rows = await rawQuery(
      unit.sql,
      sql`delete from ${sql.table(name)} where account = ${account} and audience = ${audience} and address in (select address
        from ${sql.table(name)} where account = ${account} and audience = ${audience} limit ${limit - count}) returning address`,
    )
    count += rows.length
  }
  return count
}
