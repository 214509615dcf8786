/** Rows that are a queue: each is due at a time, and a worker claims it with a lease. */
import { type RawBuilder, sql } from 'kysely'
import type { Reader, Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import { TABLES, type Tables } from '../schema/database.ts'

export interface Claim {
  readonly now: number
  readonly limit: number
  readonly lease: string
  /** Epoch ms: the end of the lease. */
  readonly until: number
}

/** Columns of a queue. */
interface Leased {
  readonly due_at: number | null
  readonly lease: string | null
  readonly lease_until: number
}

/** Tables that are a queue. */
export type Queue = { [T in keyof Tables]: Tables[T] extends Leased ? T : never }[keyof Tables]

/**
 * Leases rows that are due, in the order of their times. Workers of several nodes skip each other's rows; the update checks the
 * condition again, since another worker may have claimed a row in between.
 * @param dueAfter new due time of the claimed rows; without it, their due time stays
 * @param which a condition on the rows besides their time
 */
export function claimRows<Q extends Queue>(
  connection: Sql,
  queue: Q,
  { now, limit, lease, until }: Claim,
  dueAfter?: number,
  which: RawBuilder<unknown> = sql`1 = 1`,
): Promise<Tables[Q][]> {
  const rows = sql.table(queue)
  const { key } = TABLES.find(({ name }) => name === queue)!
  const names = sql.join(key.map((name) => sql.ref(name)))
  const free = sql`due_at <= ${now} and lease_until <= ${now} and ${which}`
  // The plus keeps SQLite from scanning all due rows a second time: it finds the rows by their keys.
  const stillFree = sql`+due_at <= ${now} and +lease_until <= ${now}`
  const skip = connection.engine === 'postgres' ? sql` for update skip locked` : sql``
  const due = dueAfter === undefined ? sql`` : sql`, due_at = ${dueAfter}`
  return rawQuery(
    connection,
    sql<
      Tables[Q]
    >`with due as materialized (select ${names} from ${rows} where ${free} order by due_at limit ${limit}${skip})
      update ${rows} set lease = ${lease}, lease_until = ${until}${due}
      where ${stillFree} and (${names}) in (select ${names} from due) returning *`,
  )
}

/**
 * When the next row may be claimed, epoch ms; null: none is due. It reads the rows up to the first that nobody holds, not the queue.
 * @param which as in `claimRows`
 */
export async function nextClaimAt(
  reader: Reader,
  queue: Queue,
  which: RawBuilder<unknown> = sql`1 = 1`,
): Promise<number | null> {
  const rows = sql.table(queue)
  const [free] = await rawQuery(
    reader.sql,
    sql<{ due_at: number }>`select due_at from ${rows}
      where due_at is not null and lease_until <= due_at and ${which} order by due_at limit 1`,
  )
  const before = free?.due_at ?? Number.MAX_SAFE_INTEGER
  const [leased] = await rawQuery(
    reader.sql,
    sql<{ at: number | null }>`select min(lease_until) as at from ${rows} where due_at < ${before} and ${which}`,
  )
  const times = [free?.due_at, leased?.at].filter((at) => typeof at === 'number')
  return times.length === 0 ? null : Math.min(...times)
}
