/** Rows of the queue of outgoing mail: one for each destination of a message (spec/decisions/0006-storage.md: the records are the queue). */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { OutgoingTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type OutgoingKey = Pick<OutgoingTable, 'account' | 'submission' | 'destination'>

const insert = statement<{
  account: number
  submission: number
  destination: string
  organization: number
  due_at: number
}>()((db, p) =>
  db.insertInto('outgoing').values({
    account: p('account'),
    submission: p('submission'),
    destination: p('destination'),
    organization: p('organization'),
    due_at: p('due_at'),
    attempts: sql.lit(0),
    lease: sql.lit(null),
    held: sql.lit(0),
  }),
)

export async function insertOutgoing(
  unit: AccountUnit,
  submission: number,
  destinations: Iterable<string>,
  due_at: number,
): Promise<void> {
  const { account, organization } = unit
  for (const destination of destinations)
    await unit.sql.all(insert, { account, submission, destination, organization, due_at })
}

const ofSubmission = statement<{ account: number; submission: number }>()((db, p) =>
  db
    .selectFrom('outgoing')
    .selectAll()
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .orderBy('destination'),
)

export function outgoingOf(reader: Reader, account: number, submission: number): Promise<OutgoingTable[]> {
  return reader.sql.all(ofSubmission, { account, submission })
}

/** The same, and no worker claims them before the unit has ended. */
export function lockOutgoing(unit: AccountUnit, submission: number): Promise<OutgoingTable[]> {
  const locks = unit.sql.engine === 'postgres'
  return unit.sql.query((db) =>
    db
      .selectFrom('outgoing')
      .selectAll()
      .where('account', '=', unit.account)
      .where('submission', '=', submission)
      .$if(locks, (query) => query.forUpdate()),
  )
}

export async function updateOutgoing(
  unit: AccountUnit,
  { submission, destination }: Pick<OutgoingTable, 'submission' | 'destination'>,
  set: Partial<Pick<OutgoingTable, 'due_at' | 'attempts' | 'lease' | 'held'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('outgoing')
      .set(set)
      .where('account', '=', unit.account)
      .where('submission', '=', submission)
      .where('destination', '=', destination),
  )
}

const remove = statement<{ account: number; submission: number; destination: string }>()((db, p) =>
  db
    .deleteFrom('outgoing')
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .where('destination', '=', p('destination')),
)

export async function deleteOutgoing(unit: AccountUnit, submission: number, destination: string): Promise<void> {
  await unit.sql.all(remove, { account: unit.account, submission, destination })
}

/** A place in the queue, which is ordered by time. */
export type QueuePlace = Pick<OutgoingTable, 'due_at' | 'account' | 'submission' | 'destination'>

export interface DueWindow {
  readonly now: number
  /** Where the last look ended; null: from the front. */
  readonly after: QueuePlace | null
  /** What has all it may have at the moment. */
  readonly busyDestinations: readonly string[]
  readonly busyOrganizations: readonly number[]
  /** Rows looked at, and rows wanted. */
  readonly size: number
  readonly limit: number
}

export interface DueRows {
  readonly rows: readonly (QueuePlace & Pick<OutgoingTable, 'organization'>)[]
  /** Where the next look begins; null: this one came to the end. */
  readonly next: QueuePlace | null
}

/** What is due in one stretch of the queue, without what is busy: however much of that there is, a look costs the same. */
export async function dueRows(connection: Sql, window: DueWindow): Promise<DueRows> {
  const { now, after, busyDestinations, busyOrganizations, limit } = window
  // Where nothing is passed over, the first rows are those that are wanted.
  const isAllFree = busyDestinations.length === 0 && busyOrganizations.length === 0
  const size = isAllFree ? Math.min(limit, window.size) : window.size
  // Every number is bound: the text stays the same, and so does the statement that was prepared for it.
  const place = after && sql.join([after.due_at, after.account, after.submission, after.destination])
  const stretch = sql`select due_at, account, submission, destination, organization from outgoing
    where held = 0 and due_at <= ${now} ${place ? sql`and (due_at, account, submission, destination) > (${place})` : sql``}
    order by due_at, account, submission, destination`
  const free = [
    ...(busyDestinations.length > 0 ? [sql`destination not in (${sql.join(busyDestinations)})`] : []),
    ...(busyOrganizations.length > 0 ? [sql`organization not in (${sql.raw(busyOrganizations.join(','))})`] : []),
  ]
  const rows = await connection.query((db) =>
    db
      .selectFrom(sql<DueRows['rows'][number]>`(${stretch} limit ${size})`.as('stretch'))
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
      .selectFrom(sql<QueuePlace>`(${stretch} limit 1 offset ${size - 1})`.as('stretch'))
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
 * Leases rows that are due; of two workers that want the same row one gets it. Each has a lease of its own that begins with `lease`.
 * @returns those that were got
 */
export async function claimOutgoing(
  connection: Sql,
  keys: readonly OutgoingKey[],
  { now, until, lease: begin }: { readonly now: number; readonly until: number; readonly lease: string },
): Promise<ClaimedRow[]> {
  if (connection.engine === 'postgres') return claimTogether(connection, keys, { now, until, lease: begin })
  const claimed: ClaimedRow[] = []
  // One statement that stays prepared: a list of its own for each claim would be compiled each time.
  for (const { account, submission, destination } of keys) {
    const key = { account, submission, destination }
    const token = `${begin}:${destination}`
    const [row] = await connection.all(lease, { ...key, now, until, lease: token })
    if (row) claimed.push({ ...key, ...row, lease: token, due_at: until })
  }
  return claimed
}

/** A row of the queue that a worker has. */
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
      // Materialized: as a plain sub-select PostgreSQL may run it once per row. What another worker is about to take is left to it.
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

/** When the first row of the queue comes due, or came; null: there is none. */
export async function nextDue(reader: Reader): Promise<number | null> {
  const [first] = await reader.sql.all(firstDue, {})
  return first?.at ?? null
}

export interface QueueFilter {
  /** Accounts whose rows are wanted. */
  readonly accounts: readonly number[]
  readonly destination: string | null
  readonly held: boolean | null
  readonly submission: { readonly account: number; readonly id: number } | null
  /** The row after which the list goes on. */
  readonly after: OutgoingKey | null
  readonly limit: number
}

/** Rows of the queue in the order of their keys, for people who look at it. */
export function listOutgoing(reader: Reader, filter: QueueFilter): Promise<OutgoingTable[]> {
  const { accounts, destination, held, submission, after, limit } = filter
  if (accounts.length === 0) return Promise.resolve([])
  return reader.sql.query((db) => {
    let query = db
      .selectFrom('outgoing')
      .selectAll()
      // Numbers of our own, written out: engines bound the number of parameters.
      .where(sql<boolean>`account in (${sql.raw(accounts.map(Number).join(','))})`)
    if (destination !== null) query = query.where('destination', '=', destination)
    if (held !== null) query = query.where('held', '=', held ? 1 : 0)
    if (submission) query = query.where('account', '=', submission.account).where('submission', '=', submission.id)
    if (after) {
      const key = sql.raw(`${Number(after.account)}, ${Number(after.submission)}`)
      query = query.where(sql<boolean>`(account, submission, destination) > (${key}, ${after.destination})`)
    }
    return query.orderBy('account').orderBy('submission').orderBy('destination').limit(limit)
  })
}

/** Gives back what workers have, for who knows that none of them lives any more. */
export async function releaseOutgoing(connection: Sql, now: number): Promise<void> {
  await connection.query((db) =>
    db
      .updateTable('outgoing')
      .set({ lease: null, due_at: now })
      .where('lease', 'is not', null)
      .where('due_at', '>', now),
  )
}
