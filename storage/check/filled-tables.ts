import type { Sql } from '../ports.ts'
import { tablesOf } from '../schema/database.ts'
import type { Table } from '../schema/table.ts'

/** The tables that have rows. Queries over all tables name only these: in a small store, planning them for all costs more than the check. */
export async function filledTables(connection: Sql): Promise<Table[]> {
  const tables = tablesOf(connection.engine)
  const rows = await connection.raw(tables.map(queryOf).join(' union all '))
  const filled = new Set((rows as { name: string }[]).map(({ name }) => name))
  return tables.filter(({ name }) => filled.has(name))
}

function queryOf({ name }: Table): string {
  return `select '${name}' as name where exists (select 1 from "${name}")`
}
