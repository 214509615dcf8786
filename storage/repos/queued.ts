/** What the queue's worker reads of a submission, and what its report changes, in as few statements as possible. */
import { sql } from 'kysely'
import { jsonRecordset } from '../json-recordset.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import type { BlobTable, OutgoingTable, SubmissionRecipientTable, SubmissionTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

/** A submission, the source of its email, and its message; null for what does not exist. */
export interface QueuedMessage
  extends Pick<SubmissionTable, 'mail_from' | 'parameters' | 'send_at' | 'undo_status'>,
    Pick<BlobTable, 'data' | 'location'> {
  readonly source: string | null
  readonly hash: Uint8Array | null
}

const message = statement<{ account: number; submission: number }>()((db, p) =>
  db
    .selectFrom('submission as s')
    .leftJoin('email as e', (join) => join.onRef('e.account', '=', 's.account').onRef('e.id', '=', 's.email'))
    .leftJoin('account_blob as r', (join) => join.onRef('r.account', '=', 's.account').onRef('r.id', '=', 's.blob'))
    .leftJoin('blob as b', 'b.hash', 'r.hash')
    .select(['s.mail_from', 's.parameters', 's.send_at', 's.undo_status', 'e.source', 'b.hash', 'b.data', 'b.location'])
    .where('s.account', '=', p('account'))
    .where('s.id', '=', p('submission')),
)

export async function queuedMessage(
  reader: Reader,
  account: number,
  submission: number,
): Promise<QueuedMessage | null> {
  const [row] = await reader.sql.all(message, { account, submission })
  return row ?? null
}

const open = statement<{ account: number; submission: number; destination: string }>()((db, p) =>
  db
    .selectFrom('submission_recipient')
    .select(['position', 'address', 'parameters'])
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .where('status', '=', sql.lit('open'))
    .where('destination', '=', p('destination'))
    .orderBy('position'),
)

/** Open recipients of a destination. */
export function openRecipients(
  reader: Reader,
  account: number,
  submission: number,
  destination: string,
): Promise<Pick<SubmissionRecipientTable, 'position' | 'address' | 'parameters'>[]> {
  return reader.sql.all(open, { account, submission, destination })
}

const release = statement<{ account: number; submission: number; lease: string }>()((db, p) =>
  db
    .deleteFrom('outgoing')
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .where('lease', '=', p('lease'))
    .returning(['destination', 'newsletter']),
)

const defer = statement<{ account: number; submission: number; lease: string; due_at: number }>()((db, p) =>
  db
    .updateTable('outgoing')
    .set((eb) => ({ due_at: p('due_at'), attempts: eb('attempts', '+', 1), lease: sql.lit(null) }))
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .where('lease', '=', p('lease'))
    .returning(['destination', 'newsletter']),
)

/** A lease that ends: the row leaves the queue, or is due for its next attempt at `retryAt` (epoch ms). */
export interface EndingLease {
  readonly submission: number
  readonly lease: string
  readonly retryAt: number | null
}

/**
 * Ends leases.
 * @returns what each row held, in the order of the leases; null: another worker holds the row by now, and nothing was changed
 */
export async function endLeases(
  unit: AccountUnit,
  leases: readonly EndingLease[],
): Promise<(Pick<OutgoingTable, 'destination' | 'newsletter'> | null)[]> {
  if (unit.sql.engine === 'postgres' && leases.length > 1) return endTogether(unit, leases)
  const { account } = unit
  const ended = []
  for (const { submission, lease, retryAt } of leases) {
    const [row] =
      retryAt === null
        ? await unit.sql.all(release, { account, submission, lease })
        : await unit.sql.all(defer, { account, submission, lease, due_at: retryAt })
    ended.push(row ?? null)
  }
  return ended
}

async function endTogether(unit: AccountUnit, leases: readonly EndingLease[]) {
  const columns = { submission: 'bigint', lease: 'text', due_at: 'bigint' } as const
  const rowsOf = (some: readonly EndingLease[]) =>
    jsonRecordset(
      columns,
      some.map(({ submission, lease, retryAt }) => ({ submission, lease, due_at: retryAt })),
    )
  type Ended = Pick<OutgoingTable, 'submission' | 'destination' | 'newsletter'> & { readonly lease: string }
  const held = sql`o.account = ${unit.account} and o.submission = r.submission and o.lease = r.lease
    returning o.submission, r.lease, o.destination, o.newsletter`
  const [done, again] = [
    leases.filter(({ retryAt }) => retryAt === null),
    leases.filter(({ retryAt }) => retryAt !== null),
  ]
  const ended: Ended[] = []
  if (done.length > 0)
    ended.push(...(await rawQuery(unit.sql, sql<Ended>`delete from outgoing o using ${rowsOf(done)} where ${held}`)))
  if (again.length > 0)
    ended.push(
      ...(await rawQuery(
        unit.sql,
        sql<Ended>`update outgoing o set due_at = r.due_at, attempts = o.attempts + 1, lease = null from ${rowsOf(again)} where ${held}`,
      )),
    )
  const found = new Map(ended.map((row) => [`${row.submission} ${row.lease}`, row]))
  return leases.map(({ submission, lease }) => found.get(`${submission} ${lease}`) ?? null)
}

const withSubmission = statement<{ account: number; submission: number }>()((db, p) =>
  db
    .selectFrom('submission as s')
    .innerJoin('submission_recipient as r', (join) =>
      join.onRef('r.account', '=', 's.account').onRef('r.submission', '=', 's.id'),
    )
    .select([
      's.id',
      's.mail_from',
      's.email',
      's.calendar_event',
      's.undo_status',
      'r.position',
      'r.address',
      'r.status',
      'r.destination',
      'r.delivered',
      'r.bounced',
    ])
    .where('s.account', '=', p('account'))
    .where('s.id', '=', p('submission'))
    .orderBy('r.position'),
)

/** A recipient together with columns of its submission. */
export type RecipientWithSubmission = Pick<
  SubmissionTable,
  'id' | 'mail_from' | 'email' | 'calendar_event' | 'undo_status'
> &
  Pick<SubmissionRecipientTable, 'position' | 'address' | 'status' | 'destination' | 'delivered' | 'bounced'>

/** All recipients of a submission. */
export function recipientsWithSubmission(
  reader: Reader,
  account: number,
  submission: number,
): Promise<RecipientWithSubmission[]> {
  return reader.sql.all(withSubmission, { account, submission })
}

const finish = statement<{ account: number; id: number }>()((db, p) =>
  db
    .updateTable('submission')
    .set({ undo_status: sql.lit('final'), due_at: sql.lit(null) })
    .where('account', '=', p('account'))
    .where('id', '=', p('id'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('outgoing')
            .select('outgoing.account')
            .whereRef('outgoing.account', '=', 'submission.account')
            .whereRef('outgoing.submission', '=', 'submission.id'),
        ),
      ),
    ),
)

/** Makes a submission final if none of its rows is in the queue any more. */
export async function finishIfDone(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.all(finish, { account: unit.account, id })
}

const packed = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('email').select('packed').where('account', '=', p('account')).where('id', '=', p('id')),
)

/** What lists show of an email; null: it does not exist. */
export async function packedEmail(reader: Reader, account: number, id: number): Promise<string | null> {
  const [row] = await reader.sql.all(packed, { account, id })
  return row?.packed ?? null
}
