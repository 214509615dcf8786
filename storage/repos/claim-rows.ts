/** Rows that are a queue (spec/decisions/0006-storage.md): a time from which each is due, and a lease of who works on it. */
import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '../ports.ts'
import { run } from '../search/run.ts'

export interface Claim {
  readonly now: number
  readonly limit: number
  readonly lease: string
  /** Epoch ms: the end of the lease. */
  readonly until: number
}

/** What the table of such a queue has. */
interface Leased {
  readonly due_at: number | null
  readonly lease: string | null
  readonly lease_until: number
}

/**
 * Leases what has come due, the longest due first. Workers of several nodes step over each other's rows; the condition is asked again
 * at the row itself, since another may have taken it in between.
 * @param key columns that name a row
 * @param dueAfter the due time of what is claimed; without it, that stays
 * @param which a condition on the rows beside their time
 */
export function claimRows<Row extends Leased>(
  connection: Sql,
  table: 'domain_check' | 'draft_request' | 'push_subscription' | 'webhook_delivery',
  key: readonly (keyof Row & string)[],
  { now, limit, lease, until }: Claim,
  dueAfter?: number,
  which: RawBuilder<unknown> = sql`1 = 1`,
): Promise<Row[]> {
  const rows = sql.table(table)
  const names = sql.join(key.map((name) => sql.ref(name)))
  const free = sql`due_at <= ${now} and lease_until <= ${now} and ${which}`
  // The plus keeps SQLite from walking all that is due a second time: rows are found by their keys.
  const still = sql`+due_at <= ${now} and +lease_until <= ${now}`
  const skip = connection.engine === 'postgres' ? sql` for update skip locked` : sql``
  const due = dueAfter === undefined ? sql`` : sql`, due_at = ${dueAfter}`
  return run(
    { sql: connection },
    sql<Row>`with due as materialized (select ${names} from ${rows} where ${free} order by due_at limit ${limit}${skip})
      update ${rows} set lease = ${lease}, lease_until = ${until}${due}
      where ${still} and (${names}) in (select ${names} from due) returning *`,
  )
}
