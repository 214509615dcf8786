/** Rows of submissions: EmailSubmission objects that are at once the queue of outgoing mail (design.md section 5). */
import { sql } from 'kysely'
import type { AccountUnit, Reader, Sql } from '../ports.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export async function insertSubmission(
  unit: AccountUnit,
  row: SubmissionTable,
  recipients: readonly SubmissionRecipientTable[],
): Promise<void> {
  await unit.sql.query((db) => db.insertInto('submission').values(row))
  for (const recipient of recipients)
    await unit.sql.query((db) => db.insertInto('submission_recipient').values(recipient))
}

const one = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('submission').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findSubmission(reader: Reader, account: number, id: number): Promise<SubmissionTable | null> {
  const [row] = await reader.sql.all(one, { account, id })
  return row ?? null
}

const recipients = statement<{ account: number; submission: number }>()((db, p) =>
  db
    .selectFrom('submission_recipient')
    .selectAll()
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .orderBy('position'),
)

export function recipientsOf(reader: Reader, account: number, submission: number): Promise<SubmissionRecipientTable[]> {
  return reader.sql.all(recipients, { account, submission })
}

const ofEmail = statement<{ account: number; email: number }>()((db, p) =>
  db
    .selectFrom('submission')
    .selectAll()
    .where('account', '=', p('account'))
    .where('email', '=', p('email'))
    .orderBy('id', 'desc')
    .limit(1),
)

/** The newest submission of an email. */
export async function submissionOfEmail(
  reader: Reader,
  account: number,
  email: number,
): Promise<SubmissionTable | null> {
  const [row] = await reader.sql.all(ofEmail, { account, email })
  return row ?? null
}

export async function updateSubmission(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<SubmissionTable, 'undo_status' | 'due_at' | 'attempts' | 'lease' | 'lease_until'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('submission').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

/** Takes a submission out of the queue unless a worker holds it; whether it did. One statement: a claim may come at any moment. */
export async function cancelSubmission(unit: AccountUnit, id: number): Promise<boolean> {
  const rows = await unit.sql.query((db) =>
    db
      .updateTable('submission')
      .set({ undo_status: 'canceled', due_at: null })
      .where('account', '=', unit.account)
      .where('id', '=', id)
      .where('undo_status', '=', 'pending')
      .where('lease_until', '<=', unit.now)
      .returning('id'),
  )
  return rows.length > 0
}

export async function updateRecipient(
  unit: AccountUnit,
  submission: number,
  position: number,
  set: Partial<Omit<SubmissionRecipientTable, 'account' | 'submission' | 'position' | 'address' | 'parameters'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db
      .updateTable('submission_recipient')
      .set(set)
      .where('account', '=', unit.account)
      .where('submission', '=', submission)
      .where('position', '=', position),
  )
}

export async function deleteSubmission(unit: AccountUnit, id: number): Promise<void> {
  for (const table of ['submission_recipient', 'submission_report'] as const)
    await unit.sql.query((db) => db.deleteFrom(table).where('account', '=', unit.account).where('submission', '=', id))
  await unit.sql.query((db) => db.deleteFrom('submission').where('account', '=', unit.account).where('id', '=', id))
}

/**
 * Leases what has come due: the predicate stands outside the sub-select too, so that of two workers one gets each row
 * (style.md section 5, rule 7).
 */
export async function claimDue(
  db: Sql,
  claim: { now: number; limit: number; lease: string; until: number },
): Promise<SubmissionTable[]> {
  const suffix = db.engine === 'postgres' ? sql.raw(' for update skip locked') : sql.raw('')
  return db.query((builder) =>
    builder
      // Materialized: as a plain sub-select PostgreSQL may run it once per row, and then lease more than the limit.
      .with(
        (cte) => cte('due').materialized(),
        () =>
          sql<Pick<SubmissionTable, 'account' | 'id'>>`(select account, id from submission
            where due_at <= ${claim.now} and lease_until <= ${claim.now} order by due_at limit ${claim.limit}${suffix})`,
      )
      .updateTable('submission')
      .set({ lease: claim.lease, lease_until: claim.until })
      .where('due_at', '<=', claim.now)
      .where('lease_until', '<=', claim.now)
      .where(sql<boolean>`(account, id) in (select account, id from due)`)
      .returningAll(),
  )
}

const firstFree = statement<Record<never, never>>()((db) =>
  db
    .selectFrom('submission')
    .select('due_at as at')
    .where('due_at', 'is not', null)
    .whereRef('lease_until', '<=', 'due_at')
    .orderBy('due_at')
    .limit(sql.lit(1)),
)

const firstReturned = statement<Record<never, never>>()((db) =>
  db
    .selectFrom('submission')
    .select('lease_until as at')
    .where('lease', 'is not', null)
    .where('due_at', 'is not', null)
    .whereRef('lease_until', '>', 'due_at')
    .orderBy('lease_until')
    .limit(sql.lit(1)),
)

/** When the next submission may be claimed: it is due and nobody holds it. Two looks into indexes, however long the queue is. */
export async function nextDue(reader: Reader): Promise<number | null> {
  const [free] = await reader.sql.all(firstFree, {})
  const [returned] = await reader.sql.all(firstReturned, {})
  const times = [free?.at, returned?.at].filter((at) => at !== undefined && at !== null)
  return times.length === 0 ? null : Math.min(...times)
}
