/**
 * Processes reports that came back to return addresses of this server: the recipient that the address names has bounced or complained.
 * The address is authenticated, so the report counts for suppressions and reputation. Each recipient bounces and complains at most
 * once.
 */
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { findRecipient } from '../../../storage/repos/newsletter-recipients.ts'
import { recipientsOf, updateRecipient } from '../../../storage/repos/submission-recipients.ts'
import { findSubmission } from '../../../storage/repos/submissions.ts'
import type {
  NewsletterRecipientTable,
  SubmissionRecipientTable,
  SubmissionTable,
} from '../../../storage/schema/tables.ts'
import { type Bounce, type BouncedRecipient, readBounce } from '../../mail/reports/bounce.ts'
import { type Complaint, isAgainstSender, readComplaint } from '../../mail/reports/complaint.ts'
import { replyIn } from '../../mail/reports/recipient.ts'
import { refusalOfReport } from '../../mail/reports/refusal.ts'
import { Consequences } from '../../mail/submission/outcomes.ts'
import { smtpReplyOf } from '../../mail/submission/reports.ts'
import type { ReturnToken } from '../../mail/submission/return-token.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { CopyOutcomes } from '../../newsletters/run/outcomes.ts'
import type { Services } from '../../type/context.ts'
import type { InboundMessage } from '../inbound-message.ts'
import { takeUnvouched } from './unvouched.ts'

/** Other mail to a return address, such as an out-of-office reply, changes nothing. */
export async function takeReturned(services: Services, message: InboundMessage, parsed: ParsedMessage): Promise<void> {
  const tokens = message.returned ?? []
  if (tokens.length === 0) return takeUnvouched(services, message, parsed)
  const complaint = readComplaint(message.bytes, parsed)
  const bounce = complaint ? null : readBounce(message.bytes, parsed)
  if (!bounce && !(complaint && isAgainstSender(complaint))) return
  const receivers = new Set(message.recipients.map(({ account }) => account))
  for (const token of tokens) {
    const organization = await organizationOf(services, token.account)
    if (organization === null || !(await isReceivedBy(services, organization, receivers))) continue
    await services.store.write([...new Set([token.account, organization])], (work) =>
      take(services, work, token, bounce, complaint),
    )
  }
}

/** Whether the report's own organization received it: reports of other organizations do not count. */
async function isReceivedBy(services: Services, organization: number, receivers: ReadonlySet<number>) {
  for (const account of receivers) if ((await organizationOf(services, account)) === organization) return true
  return false
}

async function organizationOf({ store }: Services, account: number): Promise<number | null> {
  return store.read(async (reader) => (await findAccount(reader, account))?.organization ?? null)
}

async function take(
  services: Services,
  work: Unit,
  token: ReturnToken,
  bounce: Bounce | null,
  complaint: Complaint | null,
): Promise<void> {
  const unit = work.account(token.account)
  if (unit.isDeleted) return
  const copy = await findRecipient(unit, unit.account, token.submission)
  if (copy) return takeCopy(services, unit, copy, bounce, complaint)
  const submission = await findSubmission(unit, unit.account, token.submission)
  if (!submission || submission.undo_status === 'canceled') return
  const recipients = await recipientsOf(unit, unit.account, submission.id)
  const recipient = recipients.find(({ position }) => position === token.position)
  if (!recipient) return
  const consequences = new Consequences(services, unit, work.account(unit.organization))
  const isNews = complaint
    ? await takeComplaint(work, consequences, submission, recipient)
    : token.isAddressee && bounce !== null && (await takeBounce(work, consequences, submission, recipient, bounce))
  if (isNews) unit.change('EmailSubmission', submission.id, 'u', ['deliveryStatus'])
  await consequences.finish()
}

/** About a message of a newsletter. */
async function takeCopy(
  services: Services,
  unit: AccountUnit,
  copy: NewsletterRecipientTable,
  bounce: Bounce | null,
  complaint: Complaint | null,
): Promise<void> {
  const outcomes = new CopyOutcomes(services, unit)
  if (complaint) await outcomes.complained(copy, true)
  else if (bounce) {
    const told = toldOf(bounce, copy)
    if (told.action === 'failed')
      await outcomes.bounced(copy, refusalOfReport(told, smtpReplyOf({ ...told, smtpReply: replyIn(told) })))
  }
  await outcomes.finish()
}

async function takeComplaint(
  work: Unit,
  consequences: Consequences,
  submission: SubmissionTable,
  recipient: SubmissionRecipientTable,
): Promise<boolean> {
  if (recipient.complained === 1) return false
  await updateRecipient(work.account(recipient.account), submission.id, recipient.position, { complained: 1 })
  await consequences.complained(submission, recipient, true)
  return true
}

async function takeBounce(
  work: Unit,
  consequences: Consequences,
  submission: SubmissionTable,
  recipient: SubmissionRecipientTable,
  bounce: Bounce,
): Promise<boolean> {
  // RFC 8621 7: `yes` and `no` are final. A `no` from an unauthenticated report is counted now.
  if (recipient.delivered === 'yes' || recipient.status === 'refused' || recipient.bounced === 1) return false
  const told = toldOf(bounce, recipient)
  if (told.action !== 'failed' && told.action !== 'delivered') return false
  if (recipient.delivered === 'no' && told.action === 'delivered') return false
  const unit = work.account(recipient.account)
  const smtpReply = smtpReplyOf({ ...told, smtpReply: replyIn(told) })
  if (told.action === 'failed')
    await consequences.bounced(submission, recipient, { ...refusalOfReport(told, smtpReply), counts: true })
  if (recipient.delivered === 'no') return false
  await updateRecipient(unit, submission.id, recipient.position, {
    delivered: told.action === 'failed' ? 'no' : 'yes',
    // The attempt may still be under way; its later result is then ignored.
    ...(recipient.status !== 'open' && { smtp_reply: smtpReply, tried_at: unit.now }),
  })
  return true
}

/**
 * The part of a report about the recipient that its address names. The report may use another address for it, because mail is
 * forwarded.
 */
function toldOf({ recipients }: Bounce, { address }: { readonly address: string }): BouncedRecipient {
  const wanted = normaliseAddress(address)
  const own = recipients.find(({ addresses }) => addresses.some((one) => normaliseAddress(one) === wanted))
  return own ?? recipients.find(({ action }) => action === 'failed') ?? recipients[0]!
}
