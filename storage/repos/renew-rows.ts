import { sql } from 'kysely'
import type { Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { Queue } from './claim-rows.ts'

/** Extends leases of a queue while their work goes on. Leases that have ended stay ended. */
export async function renewRows(
  connection: Sql,
  queue: Queue,
  leases: readonly string[],
  until: number,
): Promise<void> {
  if (leases.length === 0) return
  await rawQuery(
    connection,
    sql`update ${sql.table(queue)} set lease_until = ${until} where lease in (${sql.join(leases)}) returning lease`,
  )
}
