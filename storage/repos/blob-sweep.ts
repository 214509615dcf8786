/**
 * Queries of the sweep of blobs. It walks the tables in slices of bounded size. The deletion checks again what the walk found unused,
 * since a row may refer to it by then.
 */
import { type SqlBool, sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import { TABLES } from '../schema/database.ts'

export interface ReferencePlace {
  readonly account: number
  readonly id: number
}

/** Start of a walk. */
export const FIRST_REFERENCE: ReferencePlace = { account: 0, id: 0 }
export const FIRST_HASH = new Uint8Array()

const KEPT = TABLES.flatMap(({ name, keepsBlob }) => {
  if (keepsBlob === undefined) return []
  const condition = keepsBlob === 'always' ? sql`` : sql` and keeper.${sql.ref(keepsBlob.whileSet)} is not null`
  return sql`exists (select 1 from ${sql.table(name)} keeper
    where keeper.account = account_blob.account and keeper.blob = account_blob.id${condition})`
})

/** Whether a row of any table keeps the blob of a row of `account_blob`. */
export const IS_USED = sql<SqlBool>`(${sql.join(KEPT, sql` or `)})`

/** The next `limit` references of all accounts, and whether they are used. */
export async function referencesAfter(
  reader: Reader,
  after: ReferencePlace,
  limit: number,
): Promise<(ReferencePlace & { readonly uploadedAt: number; readonly used: boolean })[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('account_blob')
      .select((eb) => ['account', 'id', 'uploaded_at', eb.case().when(IS_USED).then(1).else(0).end().as('used')])
      .where(sql<boolean>`(account, id) > (${after.account}, ${after.id})`)
      .orderBy('account')
      .orderBy('id')
      .limit(limit),
  )
  return rows.map(({ account, id, uploaded_at, used }) => ({ account, id, uploadedAt: uploaded_at, used: used === 1 }))
}

/** Deletes the account's references among `ids` that are unused and were uploaded before `before`. @returns how many */
export async function deleteUnusedReferences(
  unit: AccountUnit,
  ids: readonly number[],
  before: number,
): Promise<number> {
  const rows = await unit.sql.query((db) =>
    db
      .deleteFrom('account_blob')
      .where('account', '=', unit.account)
      .where('id', 'in', ids)
      .where('uploaded_at', '<', before)
      .where(sql<SqlBool>`not ${IS_USED}`)
      .returning('id'),
  )
  return rows.length
}

/** The next `limit` contents in the order of their hashes, and whether an account refers to them. */
export async function contentsAfter(
  reader: Reader,
  after: Uint8Array,
  limit: number,
): Promise<{ readonly hash: Uint8Array; readonly createdAt: number; readonly used: boolean }[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('blob')
      .select((eb) => [
        'hash',
        'created_at',
        eb
          .case()
          .when(
            eb.exists(
              eb.selectFrom('account_blob').select('account_blob.id').whereRef('account_blob.hash', '=', 'blob.hash'),
            ),
          )
          .then(1)
          .else(0)
          .end()
          .as('used'),
      ])
      .where('hash', '>', after)
      .orderBy('hash')
      .limit(limit),
  )
  return rows.map(({ hash, created_at, used }) => ({ hash, createdAt: created_at, used: used === 1 }))
}

/** Deletes contents that no account refers to and that were last stored before `before`. @returns how many, and their locations */
export async function deleteUnusedContents(
  db: Sql,
  hashes: readonly Uint8Array[],
  before: number,
): Promise<{ count: number; locations: string[] }> {
  const rows = await db.query((builder) =>
    builder
      .deleteFrom('blob')
      .where('hash', 'in', hashes)
      // PostgreSQL checks this again on a row that `keepBlob` changed while the deletion waited for it.
      .where('created_at', '<', before)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb.selectFrom('account_blob').select('account_blob.id').whereRef('account_blob.hash', '=', 'blob.hash'),
          ),
        ),
      )
      .returning('location'),
  )
  return { count: rows.length, locations: rows.flatMap(({ location }) => location ?? []) }
}

/** The locations that a row has. */
export async function knownLocations(reader: Reader, locations: readonly string[]): Promise<Set<string>> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('blob').select('location').where('location', 'in', locations),
  )
  return new Set(rows.flatMap(({ location }) => location ?? []))
}

/** Records the new location of a content. */
export async function moveContent(db: Sql, from: string, to: string): Promise<void> {
  await db.query((builder) => builder.updateTable('blob').set({ location: to }).where('location', '=', from))
}
