/** Leases of rows that are a queue (claim-rows.ts), renewed while their work goes on. */
import { sql } from 'kysely'
import type { Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'

/** Leases that nobody has any more stay as they are. */
export async function renewRows(
  connection: Sql,
  table: 'domain_check' | 'draft_request',
  leases: readonly string[],
  until: number,
): Promise<void> {
  if (leases.length === 0) return
  const among = sql.join(leases)
  await rawQuery(
    connection,
    sql`update ${sql.table(table)} set lease_until = ${until} where lease in (${among}) returning lease`,
  )
}
