/** What became of attempts: recorded for each recipient, in one unit of work with all that follows from it. */

import type { AccountUnit } from '../../../storage/ports.ts'
import { deleteOutgoing, outgoingOf, updateOutgoing } from '../../../storage/repos/outgoing.ts'
import {
  findSubmission,
  finishSubmission,
  noteAttempt,
  recipientsOf,
  updateSubmission,
} from '../../../storage/repos/submissions.ts'
import type { Services } from '../../context.ts'
import type { AttemptReport } from '../../core.ts'

/** A report under a lease that has passed to another worker changes nothing. */
export async function reportAttempts(services: Services, reports: readonly AttemptReport[]): Promise<void> {
  // One unit for the reports of an account: they share its row and one commit.
  const accounts = Map.groupBy(reports, ({ account }) => account)
  await Promise.all(
    [...accounts].map(([account, of]) =>
      services.store.write([account], async (work) => {
        const unit = work.account(account)
        for (const report of of) await take(unit, report)
      }),
    ),
  )
}

async function take(unit: AccountUnit, report: AttemptReport): Promise<void> {
  const { account } = unit
  const open = await outgoingOf(unit, account, report.submission)
  const row = open.find(({ lease }) => lease === report.lease)
  const submission = row && (await findSubmission(unit, account, report.submission))
  if (!submission) return
  const recipients = await recipientsOf(unit, account, report.submission)
  for (const outcome of report.outcomes) {
    const recipient = recipients.find(
      ({ address, status, destination }) =>
        address === outcome.address && status === 'open' && destination === row.destination,
    )
    if (!recipient) continue
    await noteAttempt(unit, report.submission, recipient.position, {
      status: outcome.status === 'deferred' ? 'open' : outcome.status,
      smtp_reply: outcome.smtpReply,
      host: outcome.host,
    })
  }
  if (report.retryAt === null) await deleteOutgoing(unit, report.submission, row.destination)
  else await updateOutgoing(unit, row, { due_at: report.retryAt, attempts: row.attempts + 1, lease: null })
  if (report.retryAt === null && open.length === 1) await finishSubmission(unit, report.submission)
  else if (submission.undo_status === 'pending')
    await updateSubmission(unit, report.submission, { undo_status: 'final' })
  unit.change('EmailSubmission', report.submission, 'u', ['deliveryStatus'])
}
