/** Rows of submissions: EmailSubmission objects, and what became of each of their recipients. */
import { sql } from 'kysely'
import type { AccountUnit, Reader } from '../ports.ts'
import { rawQuery } from '../raw-query.ts'
import { TABLES } from '../schema/database.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { deleteOutgoing, insertOutgoing, lockOutgoing } from './outgoing.ts'

export type NewSubmission = Omit<SubmissionTable, 'organization' | 'tags' | 'kept'> & { readonly tags?: Tags }
export type Tags = { readonly [name: string]: string }

const insert = statement<{ [K in keyof Omit<SubmissionTable, 'kept'>]: SubmissionTable[K] }>()((db, p) =>
  db.insertInto('submission').values({
    account: p('account'),
    id: p('id'),
    identity: p('identity'),
    email: p('email'),
    thread: p('thread'),
    blob: p('blob'),
    mail_from: p('mail_from'),
    parameters: p('parameters'),
    send_at: p('send_at'),
    undo_status: p('undo_status'),
    due_at: p('due_at'),
    created_at: p('created_at'),
    message_id: p('message_id'),
    organization: p('organization'),
    tags: p('tags'),
    kept: sql.lit(null),
  }),
)

export type NewRecipient = Pick<SubmissionRecipientTable, 'address' | 'parameters' | 'destination'>

const insertRecipient = statement<NewRecipient & { account: number; submission: number; position: number }>()((db, p) =>
  db.insertInto('submission_recipient').values({
    account: p('account'),
    submission: p('submission'),
    position: p('position'),
    address: p('address'),
    parameters: p('parameters'),
    destination: p('destination'),
    status: sql.lit('open' as const),
    smtp_reply: sql.lit(null),
    host: sql.lit(null),
    tried_at: sql.lit(null),
    delivered: sql.lit(null),
    displayed: sql.lit(0),
    complained: sql.lit(0),
    bounced: sql.lit(0),
  }),
)

/** Recipients are open: where `due_at` says when, they are in the queue with it. */
export async function insertSubmission(
  unit: AccountUnit,
  { tags = {}, ...row }: NewSubmission,
  recipients: readonly NewRecipient[],
): Promise<void> {
  const { organization } = unit
  await unit.sql.all(insert, { ...row, organization, tags: JSON.stringify(tags) })
  const { account, id: submission, created_at } = row
  for (const [position, { address, parameters, destination }] of recipients.entries())
    await unit.sql.all(insertRecipient, { account, submission, position, address, parameters, destination })
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

// By the greatest number: with an order and a limit SQLite would walk through all submissions of the account.
const ofEmail = statement<{ account: number; email: number }>()((db, p) =>
  db
    .selectFrom('submission')
    .selectAll()
    .where('account', '=', p('account'))
    .where('id', '=', (eb) =>
      eb
        .selectFrom('submission as own')
        .select(({ fn }) => fn.max('own.id').as('id'))
        .where('own.account', '=', p('account'))
        .where('own.email', '=', p('email')),
    ),
)

const withSubmission = statement<{ account: number; ids: string }>()((db, p) =>
  db
    .selectFrom('submission')
    .select('email')
    .distinct()
    .where('account', '=', p('account'))
    .where('email', 'in', sql<number>`(select value from json_each(${p('ids')}))`),
)

/** Which of some emails were ever sent: most in an inbox were not. */
export async function submittedAmong(
  reader: Reader,
  account: number,
  emails: readonly number[],
): Promise<ReadonlySet<number>> {
  if (emails.length === 0) return new Set()
  const rows =
    reader.sql.engine === 'sqlite'
      ? await reader.sql.all(withSubmission, { account, ids: JSON.stringify(emails) })
      : await reader.sql.query((db) =>
          db
            .selectFrom('submission')
            .select('email')
            .distinct()
            .where('account', '=', account)
            .where('email', 'in', [...emails]),
        )
  return new Set(rows.map(({ email }) => email))
}

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
  set: Partial<Pick<SubmissionTable, 'undo_status' | 'due_at'>>,
): Promise<void> {
  await unit.sql.query((db) =>
    db.updateTable('submission').set(set).where('account', '=', unit.account).where('id', '=', id),
  )
}

/** Takes a submission out of the queue unless a worker has something of it; whether it did. */
export async function cancelSubmission(unit: AccountUnit, id: number): Promise<boolean> {
  const open = await lockOutgoing(unit, id)
  const row = await findSubmission(unit, unit.account, id)
  if (row?.undo_status !== 'pending' || open.some(({ lease, due_at }) => lease !== null && due_at > unit.now))
    return false
  for (const { destination } of open) await deleteOutgoing(unit, id, destination)
  await updateSubmission(unit, id, { undo_status: 'canceled', due_at: null })
  return true
}

export async function updateRecipient(
  unit: AccountUnit,
  submission: number,
  position: number,
  set: Partial<
    Omit<SubmissionRecipientTable, 'account' | 'submission' | 'position' | 'address' | 'destination' | 'parameters'>
  >,
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

export interface AttemptOutcome {
  readonly status: SubmissionRecipientTable['status']
  readonly smtp_reply: string
  readonly host: string | null
}

const attempted = statement<
  { account: number; submission: number; position: number; tried_at: number; host: string } & Omit<
    AttemptOutcome,
    'host'
  >
>()((db, p) =>
  db
    .updateTable('submission_recipient')
    .set({ status: p('status'), smtp_reply: p('smtp_reply'), host: p('host'), tried_at: p('tried_at') })
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .where('position', '=', p('position')),
)

/** What an attempt brought for a recipient. */
export async function noteAttempt(
  unit: AccountUnit,
  submission: number,
  position: number,
  outcome: AttemptOutcome,
): Promise<void> {
  const host = outcome.host as string
  await unit.sql.all(attempted, { ...outcome, host, account: unit.account, submission, position, tried_at: unit.now })
}

const finished = statement<{ account: number; id: number }>()((db, p) =>
  db
    .updateTable('submission')
    .set({ undo_status: sql.lit('final'), due_at: sql.lit(null) })
    .where('account', '=', p('account'))
    .where('id', '=', p('id')),
)

/** Nothing of it is open any more. */
export async function finishSubmission(unit: AccountUnit, id: number): Promise<void> {
  await unit.sql.all(finished, { account: unit.account, id })
}

const keep = statement<{ account: number; email: number; kept: string }>()((db, p) =>
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

/** What stays of an email that goes, with its submissions. */
export async function keepWithSubmissions(unit: AccountUnit, email: number, kept: string): Promise<void> {
  await unit.sql.all(keep, { account: unit.account, email, kept })
}

const PARTS = TABLES.filter(({ partOf }) => partOf === 'submission')

export async function deleteSubmission(unit: AccountUnit, id: number): Promise<void> {
  for (const { name } of PARTS)
    await rawQuery(unit.sql, sql`delete from ${sql.table(name)} where account = ${unit.account} and submission = ${id}`)
  await unit.sql.query((db) => db.deleteFrom('submission').where('account', '=', unit.account).where('id', '=', id))
}
