/** MTA-STS policies of other domains (RFC 8461 5). They are stored, since mail could be redirected after a restart without them. */
import { sql } from 'kysely'
import type { Reader, Sql } from '../ports.ts'
import type { StsPolicyTable } from '../schema/tables.ts'

export async function findStsPolicy(reader: Reader, domain: string): Promise<StsPolicyTable | null> {
  const [row] = await reader.sql.query((db) => db.selectFrom('sts_policy').selectAll().where('domain', '=', domain))
  return row ?? null
}

export async function saveStsPolicy(connection: Sql, row: StsPolicyTable): Promise<void> {
  const { id, policy, kept_until } = row
  await connection.query((db) =>
    db
      .insertInto('sts_policy')
      .values(row)
      .onConflict((oc) => oc.column('domain').doUpdateSet({ id, policy, kept_until })),
  )
}

/** Deletes at most `limit` policies that have expired at `now`. @returns how many */
export async function forgetStsPolicies(connection: Sql, now: number, limit: number): Promise<number> {
  const deleted = await connection.query((db) =>
    db
      .deleteFrom('sts_policy')
      .where(
        sql<boolean>`domain in (select domain from sts_policy where kept_until <= ${now} order by kept_until limit ${limit})`,
      )
      .returning('domain'),
  )
  return deleted.length
}
