/** Recipients of submissions, and the delivery status of each. */
import { amongNumbers } from '../among-numbers.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { SubmissionRecipientTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

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

const ofSeveral = statement<{ account: number; submissions: string }>()((db, p) =>
  db
    .selectFrom('submission_recipient')
    .selectAll()
    .where('account', '=', p('account'))
    .where(amongNumbers(db, 'submission', p('submissions')))
    .orderBy('submission')
    .orderBy('position'),
)

/** The same of several submissions, one after the other. */
export function recipientsOfSeveral(
  reader: Reader,
  account: number,
  submissions: readonly number[],
): Promise<SubmissionRecipientTable[]> {
  return reader.sql.all(ofSeveral, { account, submissions: JSON.stringify(submissions) })
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

/** Records the outcome of an attempt for a recipient. */
export async function noteAttempt(
  unit: AccountUnit,
  submission: number,
  position: number,
  outcome: AttemptOutcome,
): Promise<void> {
  const host = outcome.host as string
  await unit.sql.all(attempted, { ...outcome, host, account: unit.account, submission, position, tried_at: unit.now })
}
