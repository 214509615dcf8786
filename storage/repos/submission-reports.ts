/** Reports on submissions: delivery status notifications and read receipts (RFC 8621 7). */
import type { AccountUnit, Reader } from '../ports.ts'
import type { SubmissionReportTable, SubmissionTable } from '../schema/tables.ts'
import { statement } from '../statement.ts'

const ofSubmission = statement<{ account: number; submission: number }>()((db, p) =>
  db
    .selectFrom('submission_report')
    .selectAll()
    .where('account', '=', p('account'))
    .where('submission', '=', p('submission'))
    .orderBy('position'),
)

/** Reports in the order of receipt. */
export function reportsOf(reader: Reader, account: number, submission: number): Promise<SubmissionReportTable[]> {
  return reader.sql.all(ofSubmission, { account, submission })
}

export async function insertReport(unit: AccountUnit, row: Omit<SubmissionReportTable, 'account'>): Promise<void> {
  await unit.sql.query((db) => db.insertInto('submission_report').values({ ...row, account: unit.account }))
}

/** Submissions of an organization by the Message-ID of what was sent, the newest first. */
export function sentAsMessage(
  reader: Reader,
  organization: number,
  messageId: string,
  limit: number,
): Promise<SubmissionTable[]> {
  return reader.sql.query((db) =>
    db
      .selectFrom('submission')
      .selectAll()
      .where('organization', '=', organization)
      .where('message_id', '=', messageId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit),
  )
}

/** Submissions of the messages with these Message-IDs, the newest first. */
export function submissionsOfMessages(
  reader: Reader,
  { organization, account }: { readonly organization: number; readonly account: number },
  messageIds: readonly string[],
  limit: number,
): Promise<SubmissionTable[]> {
  return reader.sql.query((db) =>
    db
      .selectFrom('submission')
      .selectAll()
      .where('account', '=', account)
      // A sub-select, since SQLite would scan all submissions of the account for a plain condition.
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('submission as own')
          .select('own.id')
          .where('own.organization', '=', organization)
          .where('own.account', '=', account)
          .where('own.message_id', 'in', messageIds),
      )
      .orderBy('id', 'desc')
      .limit(limit),
  )
}
