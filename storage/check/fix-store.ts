/** Repairs what the check has found and can be computed again; the rest stays as it is. No server may run on the data meanwhile. */
import { sql } from 'kysely'
import type { Store, Unit } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import { tablesOf } from '../schema/database.ts'
import { WITHOUT_AUDIENCE } from './audiences.ts'
import { checkStore } from './check-store.ts'
import type { TextsOf } from './email-texts.ts'
import type { Fault } from './fault.ts'
import { fixMail } from './fix-mail.ts'
import { notIn, type ObjectTypes } from './object-types.ts'

export interface Repair {
  /** What was found before. */
  readonly found: readonly Fault[]
  /** What is left of it. */
  readonly left: readonly Fault[]
}

export async function fixStore(store: Store, types: ObjectTypes, textsOf: TextsOf): Promise<Repair> {
  const options = { deep: true, textsOf }
  const found = await checkStore(store, types, options)
  if (found.length === 0) return { found, left: [] }
  await store.write([], async (unit) => {
    await raiseCounters(unit, types)
    await removeParts(unit)
  })
  for (const account of await mailAccountsIn(store, found)) {
    const isLogWrong = found.some((fault) => fault.account === account && fault.kind === 'change-log')
    await store.write([account], (work) => fixMail(work.account(account), store.blobs, textsOf, isLogWrong))
  }
  return { found, left: await checkStore(store, types, options) }
}

async function mailAccountsIn(store: Store, faults: readonly Fault[]): Promise<number[]> {
  const wrong = new Set(faults.map(({ account }) => account))
  const rows = await store.read(({ sql: connection }) =>
    connection.query((db) =>
      db.selectFrom('account').select('id').where('kind', '=', 'mailbox').where('deleted_at', 'is', null).orderBy('id'),
    ),
  )
  return rows.map(({ id }) => id).filter((id) => wrong.has(id))
}

/** So that no number is given out twice. */
async function raiseCounters({ sql: connection }: Unit, types: ObjectTypes): Promise<void> {
  for (const { name, numbers = [] } of tablesOf(connection.engine))
    for (const { column, of } of numbers) {
      const which = name === 'object' ? notIn(types.accounts) : sql``
      const highest = sql`select max(t.${sql.ref(column)}) from ${sql.table(name)} t where t.${sql.ref(of)} = account.id ${which}`
      await rawQuery(
        connection,
        sql`update account set next_object = (${highest}) + 1 where next_object <= coalesce((${highest}), -1)`,
      )
    }
  const newest = sql`select max(id) from account`
  await rawQuery(
    connection,
    sql`update installation set value = cast((${newest}) as text)
      where name = 'newest_account' and cast(value as bigint) < (${newest})`,
  )
}

/** Rows whose whole does not exist say nothing. */
async function removeParts({ sql: connection }: Unit): Promise<void> {
  for (const { name, partOf } of tablesOf(connection.engine)) {
    if (partOf === undefined) continue
    await rawQuery(
      connection,
      sql`delete from ${sql.table(name)} where not exists
        (select 1 from ${sql.table(partOf)} w where w.account = ${sql.table(name)}.account and w.id = ${sql.table(name)}.${sql.ref(partOf)})`,
    )
  }
  // An audience that is being removed has no row any more.
  await rawQuery(connection, sql`delete from subscriber where ${WITHOUT_AUDIENCE}`)
  // Its rows are parts of submissions, or of recipients of newsletters.
  await rawQuery(
    connection,
    sql`delete from outgoing where
      (newsletter is null and not exists
        (select 1 from submission s where s.account = outgoing.account and s.id = outgoing.submission))
      or (newsletter is not null and not exists
        (select 1 from newsletter_recipient r where r.account = outgoing.account and r.id = outgoing.submission))`,
  )
}
