import { sql } from 'kysely'
import type { Reader, Unit } from '../../../storage/ports.ts'
import { rawQuery } from '../../../storage/raw-query.ts'
import { tablesOf } from '../../../storage/schema/database.ts'
import type { Table } from '../../../storage/schema/table.ts'

const ACCOUNT_COLUMNS = ['account', 'organization', 'event_account']

/** Inserts a row with the number of `account` in all columns for accounts, and with `number` in all other columns for numbers. */
export async function fillTable(unit: Unit, { name, columns }: Table, account: number, number = 1): Promise<void> {
  const names = Object.keys(columns)
  const values = Object.entries(columns).map(([column, { type }]) => {
    if (ACCOUNT_COLUMNS.includes(column)) return account
    if (type === 'int') return number
    // The account's number, since some keys are unique over all accounts. In quotes it is a tsvector, too.
    return type === 'text' ? `'${account}'` : Buffer.from(String(account))
  })
  const into = sql`${sql.table(name)} (${sql.join(names.map((column) => sql.ref(column)))})`
  await rawQuery(unit.sql, sql`insert into ${into} values (${sql.join(values)})`)
}

/** The number of rows of each table with an owner that an account owns. */
export async function ownedRows({ sql: connection }: Reader, account: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { name, owner } of tablesOf(connection.engine)) {
    if (owner === null) continue
    const query = sql<{ n: number }>`select count(*) as n from ${sql.table(name)} where ${sql.ref(owner)} = ${account}`
    counts.set(name, (await rawQuery(connection, query))[0]!.n)
  }
  return counts
}
