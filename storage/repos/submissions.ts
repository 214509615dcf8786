/** Rows of submissions (EmailSubmission). */
import { sql } from 'kysely'
import { amongNumbers } from '../among-numbers.ts'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import { TABLES } from '../schema/database.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { deleteOutgoing, insertOutgoing, lockOutgoing } from './outgoing.ts'

export type NewSubmission = Omit<SubmissionTable, 'organization' | 'tags' | 'kept' | 'calendar_event'> & {
  readonly tags?: Tags
}
export type Tags = { readonly [name: string]: string }

const insert = insertRow('submission')

export type NewRecipient = Pick<SubmissionRecipientTable, 'address' | 'parameters' | 'destination'>

const insertRecipient = insertRow('submission_recipient')

/** What a recipient has before the first attempt. */
const UNTRIED = {
  status: 'open',
  smtp_reply: null,
  host: null,
  tried_at: null,
  delivered: null,
  displayed: 0,
  complained: 0,
  bounced: 0,
} as const

/** Inserts a submission with open recipients. If it has `due_at`, its destinations are queued for that time. */
export async function insertSubmission(
  unit: AccountUnit,
  { tags = {}, ...row }: NewSubmission,
  recipients: readonly NewRecipient[],
): Promise<void> {
  const { organization } = unit
  await unit.sql.all(insert, { ...row, organization, tags: JSON.stringify(tags), kept: null, calendar_event: null })
  const { account, id: submission, created_at } = row
  const ofAll = { account, submission, organization, created_at, ...UNTRIED }
  for (const [position, recipient] of recipients.entries())
    await unit.sql.all(insertRecipient, { ...ofAll, position, ...recipient })
  for (const [name, value] of Object.entries(tags))
    await unit.sql.query((db) =>
      db.insertInto('submission_tag').values({ organization, name, value, created_at, account, submission }),
    )
  const destinations = new Set(recipients.map(({ destination }) => destination))
  if (row.due_at !== null) await insertOutgoing(unit, row.id, destinations, row.due_at)
}

const one = statement<{ account: number; id: number }>()((db, p) =>
  db.selectFrom('submission').selectAll().where('account', '=', p('account')).where('id', '=', p('id')),
)

export async function findSubmission(reader: Reader, account: number, id: number): Promise<SubmissionTable | null> {
  const [row] = await reader.sql.all(one, { account, id })
  return row ?? null
}

// By the greatest number: with an order and a limit SQLite would scan all submissions of the account.
const ofEmails = statement<{ account: number; emails: string }>()((db, p) =>
  db
    .selectFrom('submission')
    .selectAll()
    .where('account', '=', p('account'))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('submission as own')
        .select(({ fn }) => fn.max('own.id').as('id'))
        .where('own.account', '=', p('account'))
        .where(amongNumbers(db, 'own.email', p('emails')))
        .groupBy('own.email'),
    ),
)

/** The newest submission of each of the emails that were ever submitted. */
export function submissionsOfEmails(
  reader: Reader,
  account: number,
  emails: readonly number[],
): Promise<SubmissionTable[]> {
  return reader.sql.all(ofEmails, { account, emails: JSON.stringify(emails) })
}

export async function updateSubmission(
  unit: AccountUnit,
  id: number,
  set: Partial<Pick<SubmissionTable, 'undo_status' | 'due_at' | 'calendar_event'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('submission').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

/** Cancels a submission, unless it is final or a worker holds some of its recipients. @returns whether it did */
export async function cancelSubmission(unit: AccountUnit, id: number): Promise<boolean> {
  const open = await lockOutgoing(unit, id)
  const row = await findSubmission(unit, unit.account, id)
  if (row?.undo_status !== 'pending' || open.some(({ lease, due_at }) => lease !== null && due_at > unit.now))
    return false
  for (const { destination } of open) await deleteOutgoing(unit, id, destination)
  await updateSubmission(unit, id, { undo_status: 'canceled', due_at: null })
  return true
}

const finished = statement<{ account: number; id: number }>()((db, p) =>
  db
    .updateTable('submission')
    .set({ undo_status: sql.lit('final'), due_at: sql.lit(null) })
    .where('account', '=', p('account'))
    .where('id', '=', p('id')),
)

/** Makes a submission final: no recipient is open. */
export async function finishSubmission(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.all(finished, { account: unit.account, id })
}

const setKept = statement<{ account: number; email: number; kept: string }>()((db, p) =>
  db
    .updateTable('submission')
    .set({ kept: p('kept') })
    .where('account', '=', p('account'))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('submission as own')
        .select('own.id')
        .where('own.account', '=', p('account'))
        .where('own.email', '=', p('email')),
    ),
)

/** Stores the record of a destroyed email with its submissions. */
export async function keepWithSubmissions(unit: AccountUnit, email: number, kept: string): Promise<void> {
  await unit.sql.all(setKept, { account: unit.account, email, kept })
}

const PARTS = TABLES.filter(({ partOf }) => partOf === 'submission')

export async function deleteSubmission(unit: AccountUnit, id: number): Promise<void> {
  for (const { name } of PARTS)
    await rawQuery(unit.sql, sql`delete from ${sql.table(name)} where account = ${unit.account} and submission = ${id}`)
  await unit.sql.query((db) =>
    db.deleteFrom('outgoing').where('account', '=', unit.account).where('submission', '=', id),
  )
  await unit.sql.query((db) => db.deleteFrom('submission').where('account', '=', unit.account).where('id', '=', id))
}
