/** Erasure of mailbox accounts whose retention time after deletion is over. The account's own row stays, so that its number is not used again. */
import { sql } from 'kysely'
import type { AccountUnit, Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import { tablesOf } from '../schema/database.ts'

/** Numbers of mailbox accounts that were deleted before `before` (epoch ms) and are not erased yet. */
export async function mailboxesToErase(reader: Reader, before: number, limit: number): Promise<number[]> {
  const rows = await reader.sql.query((db) =>
    db
      .selectFrom('account')
      .select('id')
      .where('kind', '=', 'mailbox')
      .where('deleted_at', '<', before)
      // Every mailbox account has rows in this table until `eraseRows` deletes all of its rows in one unit of work.
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('mailbox').select('mailbox.id').whereRef('mailbox.account', '=', 'account.id')),
      )
      .orderBy('id')
      .limit(limit),
  )
  return rows.map(({ id }) => id)
}

/** Numbers of emails of the account. */
export async function someEmails(unit: AccountUnit, limit: number): Promise<number[]> {
  const rows = await unit.sql.query((db) =>
    db.selectFrom('email').select('id').where('account', '=', unit.account).limit(limit),
  )
  return rows.map(({ id }) => id)
}

/** Deletes all rows that the account owns. Its emails must be deleted first, because they leave the search index one by one. */
export async function eraseRows(unit: AccountUnit): Promise<void> {
  for (const { name, owner } of tablesOf(unit.sql.engine))
    if (owner !== null)
      await rawQuery(unit.sql, sql`delete from ${sql.table(name)} where ${sql.ref(owner)} = ${unit.account}`)
  unit.addUsedBytes(-unit.usedBytes)
}
