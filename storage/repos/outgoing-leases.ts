/**
 * Leases of the queue of outgoing mail: which rows are due, and which worker holds them. The due time of a row that a worker holds is
 * the end of its lease.
 */
import { sql } from 'kysely'
import type { Reader, Sql } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { OutgoingTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { OutgoingKey } from './outgoing.ts'

/** A place in the queue, which is ordered by time. */
export type QueuePlace = Pick<OutgoingTable, 'due_at' | 'account' | 'submission' | 'destination'>

export interface DueWindow {
  readonly now: number
  /** Where the last window ended; null: at the front. */
  readonly after: QueuePlace | null
  /** What has all its connections in use. */
  readonly busyDestinations: readonly string[]
  readonly busyOrganizations: readonly number[]
  /** Rows to scan, and rows to return. */
  readonly size: number
  readonly limit: number
}

export interface DueRows {
  readonly rows: readonly (QueuePlace & Pick<OutgoingTable, 'organization'>)[]
  /** Where the next window begins; null: this one reached the end of what is due. */
  readonly next: QueuePlace | null
}

/** Rows that are due in one window of the queue, without busy ones. A window costs the same however many of its rows are busy. */
export async function dueRows(connection: Sql, window: DueWindow): Promise<DueRows> {
  const { now, after, busyDestinations, busyOrganizations, limit } = window
  // Without busy ones, all scanned rows are returned.
  const isAllFree = busyDestinations.length === 0 && busyOrganizations.length === 0
  const size = isAllFree ? Math.min(limit, window.size) : window.size
  // Every number is bound, so that the text and its prepared statement stay the same.
  const from = after && sql.join([after.due_at, after.account, after.submission, after.destination])
  const scanned = sql`select due_at, account, submission, destination, organization from outgoing
    where held = 0 and due_at <= ${now} ${from ? sql`and (due_at, account, submission, destination) > (${from})` : sql``}
    order by due_at, account, submission, destination`
  const free = [
    ...(busyDestinations.length > 0 ? [sql`destination not in (${sql.join(busyDestinations)})`] : []),
    ...(busyOrganizations.length > 0 ? [sql`organization not in (${sql.raw(busyOrganizations.join(','))})`] : []),
  ]
  const rows = await connection.query((db) =>
    db
      .selectFrom(sql<DueRows['rows'][number]>`(${scanned} limit ${size})`.as('scanned'))
      .selectAll()
      .$if(free.length > 0, (query) => query.where(sql<boolean>`${sql.join(free, sql` and `)}`))
      .orderBy('due_at')
      .orderBy('account')
      .orderBy('submission')
      .orderBy('destination')
      .limit(limit),
  )
  if (rows.length === limit) return { rows, next: rows.at(-1)! }
  const [last] = await connection.query((db) =>
    db
      .selectFrom(sql<QueuePlace>`(${scanned} limit 1 offset ${size - 1})`.as('scanned'))
      .select(['due_at', 'account', 'submission', 'destination']),
  )
  return { rows, next: last ?? null }
}

const lease = statement<OutgoingKey & { now: number; until: number; lease: string }>()((db, p) =>
  db
    .updateTable('outgoing')
    .set({ lease: p('lease'), due_at: p('until') })
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .where('destination', '=', p('destination'))
    .where('due_at', '<=', p('now'))
    .where('held', '=', sql.lit(0))
    .returning(['organization', 'attempts']),
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
      .returning(['account', 'submission', 'destination', 'organization', 'attempts', 'lease']),
  )
  return rows.map((row) => ({ ...row, lease: row.lease!, due_at: claim.until }))
}

const firstDue = statement<Record<never, never>>()((db) =>
  db.selectFrom('outgoing').select('due_at as at').where('held', '=', sql.lit(0)).orderBy('due_at').limit(sql.lit(1)),
)

/** Due time of the first row of the queue; null: it is empty. */
export async function nextDue(reader: Reader): Promise<number | null> {
  const [first] = await reader.sql.all(firstDue, {})
  return first?.at ?? null
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
