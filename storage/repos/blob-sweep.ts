/**
 * What the sweep of blobs asks (jmap/maintenance/blobs.ts). It walks the tables in slices of bounded size, and judges once more, inside the
 * unit of work, what it has found: until then an email may have come to refer to it.
 */
import { type ExpressionBuilder, sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { Tables } from '../schema/tables.ts'

export interface ReferencePlace {
  readonly account: number
  readonly id: number
}

/** Where a walk begins. */
export const FIRST_REFERENCE: ReferencePlace = { account: 0, id: 0 }
export const FIRST_HASH = new Uint8Array()

export type References = ExpressionBuilder<Tables, 'account_blob'>

/** An email is that blob, or a message still to be sent, or a report on one that was, or a Sieve script. */
export function isUsed(eb: References) {
  return eb.or([
    eb.exists(
      eb
        .selectFrom('email')
        .select('email.id')
        .whereRef('email.account', '=', 'account_blob.account')
        .whereRef('email.blob', '=', 'account_blob.id'),
    ),
    eb.exists(
      eb
        .selectFrom('submission')
        .select('submission.id')
        .whereRef('submission.account', '=', 'account_blob.account')
        .whereRef('submission.blob', '=', 'account_blob.id')
        .where('submission.due_at', 'is not', null),
    ),
    eb.exists(
      eb
        .selectFrom('submission_report')
        .select('submission_report.position')
        .whereRef('submission_report.account', '=', 'account_blob.account')
        .whereRef('submission_report.blob', '=', 'account_blob.id'),
    ),
    eb.exists(
      eb
        .selectFrom('sieve_script')
        .select('sieve_script.id')
        .whereRef('sieve_script.account', '=', 'account_blob.account')
        .whereRef('sieve_script.blob', '=', 'account_blob.id'),
    ),
  ])
}

/** The next `limit` references of all accounts, with whether anything uses them. */
export async function referencesAfter(
  reader: Reader,
  after: ReferencePlace,
  limit: number,
): Promise<(ReferencePlace & { readonly uploadedAt: number; readonly used: boolean })[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('account_blob')
      .select((eb) => [
        'account',
        'id',
        'uploaded_at',
        eb
          .case()
          .when(isUsed(eb as References))
          .then(1)
          .else(0)
          .end()
          .as('used'),
      ])
      .where(sql<boolean>`(account, id) > (${after.account}, ${after.id})`)
      .orderBy('account')
      .orderBy('id')
      .limit(limit),
  )
  return rows.map(({ account, id, uploaded_at, used }) => ({ account, id, uploadedAt: uploaded_at, used: used === 1 }))
}

/** Deletes those of the account's references that nothing uses and that were uploaded before `before`; how many those were. */
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
      .where((eb) => eb.not(isUsed(eb as References)))
      .returning('id'),
  )
  return rows.length
}

/** The next `limit` contents in the order of their hashes, with whether an account refers to them. */
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

/** Deletes those contents that no account refers to and that were last put before `before`; where octets of theirs lie. */
export async function deleteUnusedContents(
  db: Sql,
  hashes: readonly Uint8Array[],
  before: number,
): Promise<{ count: number; locations: string[] }> {
  const rows = await db.query((builder) =>
    builder
      .deleteFrom('blob')
      .where('hash', 'in', hashes)
      // On PostgreSQL this looks again at a row that was touched (keepBlob) while we waited for it.
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

/** Of the given places in the blob store, those that a row names. */
export async function knownLocations(reader: Reader, locations: readonly string[]): Promise<Set<string>> {
  const rows = await reader.sql.query((db) =>
    db.selectFrom('blob').select('location').where('location', 'in', locations),
  )
  return new Set(rows.flatMap(({ location }) => location ?? []))
}

/** The octets of a content lie elsewhere now. */
export async function moveContent(db: Sql, from: string, to: string): Promise<void> {
  await db.query((builder) => builder.updateTable('blob').set({ location: to }).where('location', '=', from))
}
