/** Rows of the queue of outgoing mail: one for each destination of a message. */

import { sql } from 'kysely'
import { amongNumbers } from '../among-numbers.ts'
import { insertRow } from '../insert-row.ts'
import { insertRows } from '../insert-rows.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { OutgoingTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type OutgoingKey = Pick<OutgoingTable, 'account' | 'submission' | 'destination'>

const insert = insertRow('outgoing')

export async function insertOutgoing(
  unit: AccountUnit,
  submission: number,
  destinations: Iterable<string>,
  due_at: number,
): Promise<void> {
  const { account, organization } = unit
  for (const destination of destinations)
    await unit.sql.all(insert, {
      ...{ account, submission, destination, organization, due_at },
      attempts: 0,
      lease: null,
      held: 0,
      newsletter: null,
    })
}

const insertMany = insertRows('outgoing')

/** Queues messages of newsletters, due now. @param recipients their numbers, and the destinations of their addresses */
export function queueRecipients(
  unit: AccountUnit,
  newsletter: number,
  recipients: readonly { readonly id: number; readonly destination: string }[],
): Promise<void> {
  const { account, organization, now } = unit
  const row = { account, organization, newsletter, due_at: now, attempts: 0, lease: null, held: 0 }
  return insertMany(
    unit.sql,
    recipients.map(({ id, destination }) => ({ ...row, submission: id, destination })),
  )
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

const leased = statement<{ account: number; submissions: string; now: number }>()((db, p) =>
  db
    .selectFrom('outgoing')
    .select('submission')
    .distinct()
    .where('account', '=', p('account'))
    .where(amongNumbers(db, 'submission', p('submissions')))
    .where('lease', 'is not', null)
    .where('due_at', '>', p('now')),
)

/** Those of the submissions that a worker is sending to a destination. */
export async function sendingAmong(
  reader: Reader,
  account: number,
  submissions: readonly number[],
  now: number,
): Promise<ReadonlySet<number>> {
  if (submissions.length === 0) return new Set()
  const rows = await reader.sql.all(leased, { account, submissions: JSON.stringify(submissions), now })
  return new Set(rows.map(({ submission }) => submission))
}

/** The same rows, locked: no worker claims them before the end of the unit of work. */
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

export interface QueueFilter {
  /** Accounts whose rows are listed. */
  readonly accounts: readonly number[]
  readonly destination: string | null
  readonly held: boolean | null
  readonly submission: { readonly account: number; readonly id: number } | null
  /** Last row of the page before. */
  readonly after: OutgoingKey | null
  readonly limit: number
}

/** Rows of the queue in the order of their keys, for administrators. */
export function listOutgoing(reader: Reader, filter: QueueFilter): Promise<OutgoingTable[]> {
  const { accounts, destination, held, submission, after, limit } = filter
  if (accounts.length === 0) return Promise.resolve([])
  return reader.sql.query((db) => {
    let query = db
      .selectFrom('outgoing')
      .selectAll()
      // Numbers are written into the text, since engines limit the number of parameters.
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
