/** Which rows of the queue of outgoing mail are due. */
import { type RawBuilder, sql } from 'kysely'
import type { Sql } from '../ports.ts'
import type { OutgoingTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

/** A place in the queue, which is ordered by time. */
export type QueuePlace = Pick<OutgoingTable, 'due_at' | 'account' | 'submission' | 'destination'>

/** Rows that are left out. */
export interface DueFilter {
  readonly busyDestinations: readonly string[]
  readonly busyOrganizations: readonly number[]
  /** Organizations of which only rows to `proven` destinations are returned. */
  readonly provenOnly: readonly number[] | 'all'
  readonly proven: readonly string[]
}

export interface DueSearch extends DueFilter {
  readonly now: number
  /** Rows to scan, and rows to return. */
  readonly size: number
  readonly limit: number
  /** Mail of newsletters, or all other mail. */
  readonly ofNewsletters: boolean
}

export interface DueWindow extends DueSearch {
  /** Where the last window ended; null: at the front. */
  readonly after: QueuePlace | null
}

export interface DueRows {
  readonly rows: readonly (QueuePlace & Pick<OutgoingTable, 'organization'>)[]
  /** Where the next window begins; null: this one reached the end of what is due. */
  readonly next: QueuePlace | null
}

const ORDER = ['due_at', 'account', 'submission', 'destination'] as const

/** Most windows are the first and leave out no row. */
const firstWindow = (ofNewsletters: boolean) =>
  statement<{ now: number; limit: number }>()((db, p) =>
    db
      .selectFrom('outgoing')
      .select([...ORDER, 'organization'])
      .where('held', '=', sql.lit(0))
      .where('newsletter', ofNewsletters ? 'is not' : 'is', sql.lit(null))
      .where('due_at', '<=', p('now'))
      .orderBy('due_at')
      .orderBy('account')
      .orderBy('submission')
      .orderBy('destination')
      .limit(p('limit')),
  )
const FIRST = { newsletters: firstWindow(true), others: firstWindow(false) }

/** Rows that are due in one window of the queue, the earliest first. A window costs the same however many of its rows are left out. */
export async function dueRows(connection: Sql, window: DueWindow): Promise<DueRows> {
  const { now, after, limit } = window
  const conditions = filterOf(connection, window)
  // If no row is left out, all scanned rows are returned.
  const size = conditions.length === 0 ? Math.min(limit, window.size) : window.size
  if (conditions.length === 0 && after === null) {
    const first = window.ofNewsletters ? FIRST.newsletters : FIRST.others
    const rows = await connection.all(first, { now, limit: size })
    return { rows, next: rows.length < size ? null : rows.at(-1)! }
  }
  // Every number is bound, so that the text and its prepared statement stay the same.
  const from = after && sql.join([after.due_at, after.account, after.submission, after.destination])
  const scanned = sql`select due_at, account, submission, destination, organization from outgoing
    where held = 0 and ${kindOf(window)} and due_at <= ${now} ${from ? sql`and (due_at, account, submission, destination) > (${from})` : sql``}
    order by due_at, account, submission, destination`
  const rows = await among(connection, sql`${scanned} limit ${size}`, conditions, 'asc', limit)
  if (rows.length === limit) return { rows, next: rows.at(-1)! }
  const [last] = await connection.query((db) =>
    db.selectFrom(sql<QueuePlace>`(${scanned} limit 1 offset ${size - 1})`.as('scanned')).select(ORDER),
  )
  return { rows, next: last ?? null }
}

/** The rows that were not tried yet and fell due last, the latest first. */
export function newestDueRows(connection: Sql, rows: DueSearch): Promise<DueRows['rows']> {
  const scanned = sql`select due_at, account, submission, destination, organization, attempts from outgoing
    where held = 0 and ${kindOf(rows)} and due_at <= ${rows.now}
    order by due_at desc, account desc, submission desc, destination desc limit ${rows.size}`
  const conditions = [sql`attempts = 0`, ...filterOf(connection, rows)]
  return among(connection, scanned, conditions, 'desc', rows.limit)
}

/** In the words of the partial index of each. */
function kindOf({ ofNewsletters }: DueSearch): RawBuilder<unknown> {
  return ofNewsletters ? sql`newsletter is not null` : sql`newsletter is null`
}

function among(
  connection: Sql,
  scanned: RawBuilder<unknown>,
  conditions: readonly RawBuilder<unknown>[],
  direction: 'asc' | 'desc',
  limit: number,
): Promise<DueRows['rows']> {
  return connection.query((db) => {
    let query = db
      .selectFrom(sql<DueRows['rows'][number]>`(${scanned})`.as('scanned'))
      .select([...ORDER, 'organization'])
      .$if(conditions.length > 0, (some) => some.where(sql<boolean>`${sql.join(conditions, sql` and `)}`))
      .limit(limit)
    for (const column of ORDER) query = query.orderBy(column, direction)
    return query
  })
}

function filterOf(
  connection: Sql,
  { busyDestinations, busyOrganizations, provenOnly, proven }: DueFilter,
): RawBuilder<unknown>[] {
  const names = (list: readonly string[]) => textsIn(connection, list)
  const numbers = (list: readonly number[]) => sql.raw(list.map(Number).join(','))
  const conditions: RawBuilder<unknown>[] = []
  if (busyDestinations.length > 0) conditions.push(sql`destination not in ${names(busyDestinations)}`)
  if (busyOrganizations.length > 0) conditions.push(sql`organization not in (${numbers(busyOrganizations)})`)
  if (provenOnly === 'all') conditions.push(sql`destination in ${names(proven)}`)
  else if (provenOnly.length > 0)
    conditions.push(sql`(organization not in (${numbers(provenOnly)}) or destination in ${names(proven)})`)
  return conditions
}

/** A list of any length is one parameter, so that no statement is compiled for it. */
function textsIn({ engine }: Sql, list: readonly string[]): RawBuilder<unknown> {
  const json = JSON.stringify(list)
  return engine === 'sqlite'
    ? sql`(select value from json_each(${json}))`
    : sql`(select jsonb_array_elements_text(${json}::jsonb))`
}
