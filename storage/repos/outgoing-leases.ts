/** Leases of the queue of outgoing mail: the due time of a row that a worker has is the end of its lease. */
import { sql } from 'kysely'
import type { Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { OutgoingTable } from '../schema/tables.ts'

export type HeldRow = Pick<OutgoingTable, 'account' | 'submission' | 'destination'> & { readonly lease: string }

/** Moves the ends of leases. @returns those that were still held */
export async function renewOutgoing(connection: Sql, held: readonly HeldRow[], until: number): Promise<HeldRow[]> {
  if (held.length === 0) return []
  const rows = sql.join(
    held.map(({ account, submission, destination, lease }) => {
      // Numbers of our own, written out, so that engines need not guess a type.
      return sql`(${sql.raw(`${Number(account)}, ${Number(submission)}`)}, ${destination}, ${lease})`
    }),
  )
  return rawQuery(
    connection,
    sql<HeldRow>`update outgoing set due_at = ${until} where (account, submission, destination, lease) in (values ${rows})
      returning account, submission, destination, lease`,
  )
}
