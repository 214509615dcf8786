/** Leases of the outgoing queue: which worker holds which rows. The due time of a row that a worker holds is the end of its lease. */
import { sql } from 'kysely'
import type { Reader, Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { OutgoingTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { OutgoingKey } from './outgoing.ts'

const lease = statement<OutgoingKey & { now: number; until: number; lease: string }>()((db, p) =>
  db
    .updateTable('outgoing')
    .set({ lease: p('lease'), due_at: p('until') })
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .where('destination', '=', p('destination'))
    .where('due_at', '<=', p('now'))
    .where('held', '=', sql.lit(0))
    .returning(['organization', 'attempts', 'newsletter']),
)

/**
 * Leases rows that are due. If two workers claim the same row, one gets it. The lease of each row is `lease` and its destination.
 * @returns the rows that were claimed
 */
export async function claimOutgoing(
  connection: Sql,
  keys: readonly OutgoingKey[],
  { now, until, lease: begin }: { readonly now: number; readonly until: number; readonly lease: string },
): Promise<ClaimedRow[]> {
  if (connection.engine === 'postgres') return claimTogether(connection, keys, { now, until, lease: begin })
  const claimed: ClaimedRow[] = []
  // This statement stays prepared; a statement with a list would be compiled for each claim.
  for (const { account, submission, destination } of keys) {
    const key = { account, submission, destination }
    const token = `${begin}:${destination}`
    const [row] = await connection.all(lease, { ...key, now, until, lease: token })
    if (row) claimed.push({ ...key, ...row, lease: token, due_at: until })
  }
  return claimed
}

/** A row of the queue that a worker holds. */
export type ClaimedRow = Omit<OutgoingTable, 'held' | 'lease'> & { readonly lease: string }

async function claimTogether(
  connection: Sql,
  keys: readonly OutgoingKey[],
  claim: { readonly now: number; readonly until: number; readonly lease: string },
): Promise<ClaimedRow[]> {
  const wanted = sql.join(
    keys.map(
      ({ account, submission, destination }) =>
        sql`(${sql.raw(`${Number(account)}, ${Number(submission)}`)}, ${destination})`,
    ),
  )
  const rows = await connection.query((db) =>
    db
      // Materialized, since PostgreSQL may run a plain sub-select once per row. Rows that another worker is claiming are skipped.
      .with(
        (cte) => cte('free').materialized(),
        (inner) =>
          inner
            .selectFrom('outgoing')
            .select(['account', 'submission', 'destination'])
            .where(sql<boolean>`(account, submission, destination) in (values ${wanted})`)
            .where('due_at', '<=', claim.now)
            .where('held', '=', 0)
            .forUpdate()
            .skipLocked(),
      )
      .updateTable('outgoing')
      .set({ lease: sql<string>`${claim.lease} || ':' || destination`, due_at: claim.until })
      .where(sql<boolean>`(account, submission, destination) in (select account, submission, destination from free)`)
      .returning(['account', 'submission', 'destination', 'organization', 'attempts', 'newsletter', 'lease']),
  )
  return rows.map((row) => ({ ...row, lease: row.lease!, due_at: claim.until }))
}

const firstDue = (operator: 'is' | 'is not') =>
  statement<Record<never, never>>()((db) =>
    db
      .selectFrom('outgoing')
      .select('due_at as at')
      .where('held', '=', sql.lit(0))
      .where('newsletter', operator, sql.lit(null))
      .orderBy('due_at')
      .limit(sql.lit(1)),
  )
const firstOther = firstDue('is')
const firstOfNewsletters = firstDue('is not')

/** Due time of the first row of the queue; null: it is empty. */
export async function nextDue(reader: Reader): Promise<number | null> {
  const [first] = await reader.sql.all(firstOther, {})
  const [ofNewsletters] = await reader.sql.all(firstOfNewsletters, {})
  const times = [first, ofNewsletters].flatMap((row) => row?.at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

export type LeasedRow = Pick<OutgoingTable, 'account' | 'submission' | 'destination'> & { readonly lease: string }

/** Extends leases. @returns those that were still held */
export async function renewOutgoing(
  connection: Sql,
  leased: readonly LeasedRow[],
  until: number,
): Promise<LeasedRow[]> {
  if (leased.length === 0) return []
  const rows = sql.join(
    leased.map(({ account, submission, destination, lease }) => {
      // Numbers are written into the text, since engines would have to guess the types of parameters.
      return sql`(${sql.raw(`${Number(account)}, ${Number(submission)}`)}, ${destination}, ${lease})`
    }),
  )
  return rawQuery(
    connection,
    sql<LeasedRow>`update outgoing set due_at = ${until} where (account, submission, destination, lease) in (values ${rows})
      returning account, submission, destination, lease`,
  )
}

/** Ends all leases. Only for a process that is alone on its data when it starts. */
export async function releaseOutgoing(connection: Sql, now: number): Promise<void> {
  await connection.query((db) =>
    db
      .updateTable('outgoing')
      .set({ lease: null, due_at: now })
      .where('lease', 'is not', null)
      .where('due_at', '>', now),
  )
}
