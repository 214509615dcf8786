/** The queue's side of EmailSubmission: claim what is due, take reports. Only the server's own worker comes here (mta/outbound). */
import { randomUUID } from 'node:crypto'
import { errorMessage, Failure } from '../../../server/base/errors.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { findEmail } from '../../../storage/repos/emails.ts'
import {
  claimDue,
  findSubmission,
  recipientsOf,
  updateRecipient,
  updateSubmission,
} from '../../../storage/repos/submissions.ts'
import type { SubmissionTable } from '../../../storage/schema/tables.ts'
import type { Services } from '../../context.ts'
import type { AttemptReport, EnvelopeParameters, QueuedSubmission } from '../../core.ts'
import { dkimKeyOf } from '../../service/domain.ts'
import { domainOf, normaliseAddress } from '../addresses.ts'
import { readStored } from '../blobs.ts'
import { parseAddresses } from '../message/addresses.ts'
import { fieldText, lastField, readHeaders, unfold } from '../message/headers.ts'
import { withoutBcc } from '../message/without-bcc.ts'

/** Several workers and nodes may claim at once: each row goes to one of them, until its lease runs out. */
export async function claimSubmissions(
  services: Services,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<QueuedSubmission[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await services.store.write([], (unit) =>
    claimDue(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  const claimed: QueuedSubmission[] = []
  for (const row of rows) {
    try {
      const described = await describe(services, row, lease)
      if (row.undo_status === 'pending') await markFinal(services, row)
      claimed.push(described)
    } catch (error) {
      // One message that cannot be read must not hold up the others; it comes again.
      services.logger.error({ submission: row.id, error: errorMessage(error) }, 'a submission could not be read')
      await putBack(services, row)
    }
  }
  return claimed
}

/** Milliseconds until a submission whose message could not be read is tried again. */
const READ_AGAIN_MS = 60_000

function putBack(services: Services, row: SubmissionTable): Promise<void> {
  return services.store.write([row.account], (work) =>
    updateSubmission(work.account(row.account), row.id, {
      lease: null,
      lease_until: 0,
      due_at: work.now + READ_AGAIN_MS,
    }),
  )
}

/** RFC 8621 7: from here on it cannot be taken back. */
async function markFinal(services: Services, row: SubmissionTable): Promise<void> {
  await services.store.write([row.account], async (work) => {
    const unit = work.account(row.account)
    await updateSubmission(unit, row.id, { undo_status: 'final' })
    unit.change('EmailSubmission', row.id, 'u', ['undoStatus'])
  })
}

function describe(services: Services, row: SubmissionTable, lease: string): Promise<QueuedSubmission> {
  return services.store.read(async (reader) => {
    const recipients = await recipientsOf(reader, row.account, row.id)
    const stored = await readStored(services.store, reader, row.account, row.blob)
    if (!stored) throw new Failure('corrupt', 'its blob is not there')
    const bytes = withoutBcc(stored)
    const account = await findAccount(reader, row.account)
    const domain = fromDomain(bytes)
    const submissionId = services.ids.encode('EmailSubmission', row.account, row.id)
    const email = await findEmail(reader, row.account, row.email)
    const isOfClient = email !== null && email.source !== 'smtp'
    return {
      account: row.account,
      submission: row.id,
      submissionId,
      mailFrom: row.mail_from,
      // RFC 8621 7: reports name the submission by the ENVID, where the client has none of its own. RFC 3461 5.2.1: what came by
      // SMTP without one is passed on without one.
      parameters: { ...(isOfClient && { ENVID: submissionId }), ...parseParameters(row.parameters) },
      recipients: recipients
        .filter(({ status }) => status === 'open')
        .map(({ address, parameters }) => ({ address, parameters: parseParameters(parameters) })),
      queuedAt: row.send_at,
      attempts: row.attempts,
      bytes,
      dkim: account && domain ? await dkimKeyOf(reader, account.organization, domain) : null,
      lease,
    }
  })
}

function parseParameters(text: string): EnvelopeParameters {
  return (JSON.parse(text) as EnvelopeParameters | null) ?? {}
}

/** RFC 6376: the domain that signs is that of From, for DMARC's sake. */
function fromDomain(bytes: Uint8Array): string | null {
  const field = lastField(readHeaders(bytes), 'From')
  const [from] = field ? parseAddresses(unfold(fieldText(bytes, field))) : []
  const address = from && normaliseAddress(from.email)
  return address ? domainOf(address) : null
}

/** Takes what became of attempts. A report under a lease that has passed to another worker changes nothing. */
export async function reportAttempts(services: Services, reports: readonly AttemptReport[]): Promise<void> {
  await Promise.all(
    reports.map((report) =>
      services.store.write([report.account], async (work) => {
        const unit = work.account(report.account)
        const row = await findSubmission(unit, report.account, report.submission)
        if (!row || row.lease !== report.lease) return
        const recipients = await recipientsOf(unit, report.account, report.submission)
        for (const outcome of report.outcomes) {
          const recipient = recipients.find(({ address, status }) => address === outcome.address && status === 'open')
          if (!recipient) continue
          await updateRecipient(unit, report.submission, recipient.position, {
            status: outcome.status === 'deferred' ? 'open' : outcome.status,
            smtp_reply: outcome.smtpReply,
            host: outcome.host,
            tried_at: unit.now,
          })
        }
        await updateSubmission(unit, report.submission, {
          due_at: report.retryAt,
          attempts: row.attempts + 1,
          lease: null,
          lease_until: 0,
          ...(row.undo_status === 'pending' && { undo_status: 'final' as const }),
        })
        unit.change('EmailSubmission', report.submission, 'u', ['deliveryStatus'])
      }),
    ),
  )
}
