/** Automatic replies, duplicates of messages (RFC 7352) and invitations, which delivery must not repeat within a time. */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { DeliveryMemoryTable } from '../schema/delivery-memory.ts'
import { statement } from '../statement.ts'

type Kind = DeliveryMemoryTable['kind']

const one = statement<{ account: number; kind: Kind; key: string; now: number }>()((db, p) =>
  db
    .selectFrom('delivery_memory')
    .select('until')
    .where('account', '=', p('account'))
    .where('kind', '=', p('kind'))
    .where('key', '=', p('key'))
    .where('until', '>', p('now')),
)

/** The keys that are remembered at `now` (epoch ms). */
export async function rememberedKeys(
  reader: Reader,
  account: number,
  kind: Kind,
  keys: readonly string[],
  now: number,
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const key of keys) if ((await reader.sql.all(one, { account, kind, key, now })).length > 0) found.add(key)
  return found
}

/** @param until epoch ms; a later time that is remembered already stays */
export async function rememberKey(unit: AccountUnit, kind: Kind, key: string, until: number): Promise<void> {
  const { account } = unit
  await unit.sql.query((db) =>
    db
      .insertInto('delivery_memory')
      .values({ account, kind, key, until })
      .onConflict((oc) =>
        oc.columns(['account', 'kind', 'key']).doUpdateSet({ until }).where('delivery_memory.until', '<', until),
      ),
  )
}

/** Deletes at most `limit` keys whose time is over at `now`. @returns how many */
export async function forgetKeys(db: Sql, now: number, limit: number): Promise<number> {
  const deleted = await db.query((builder) =>
    builder
      .deleteFrom('delivery_memory')
      .where(
        sql<boolean>`(account, kind, key) in
          (select account, kind, key from delivery_memory where until <= ${now} order by until limit ${limit})`,
      )
      .returning('account'),
  )
  return deleted.length
}
