/**
 * Complaints without a return address of this server. One that returns a header with a signature of this server is about that message. It counts
 * if the message had a single recipient, because nobody else received it. Anyone who has the message could write other complaints: they are
 * stored and shown once, but count neither for reputation nor for suppressions.
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findRecipient } from '../../../storage/repos/newsletter-recipients.ts'
import { recipientsOf, updateRecipient } from '../../../storage/repos/submission-recipients.ts'
import { findSubmission } from '../../../storage/repos/submissions.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../../../storage/schema/tables.ts'
import { type Complaint, isAgainstSender, readComplaint } from '../../mail/reports/complaint.ts'
import { Consequences } from '../../mail/submission/outcomes.ts'
import { findReported } from '../../mail/submission/reports.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import { CopyOutcomes } from '../../newsletters/run/outcomes.ts'
import { recipientOfMessage } from '../../newsletters/run/recipient-ids.ts'
import type { Services } from '../../type/context.ts'
import type { InboundMessage } from '../inbound-message.ts'
import { type SignedOriginal, signedOriginal, submissionsOf } from './signed-complaint.ts'

export async function takeUnvouched(services: Services, message: InboundMessage, parsed: ParsedMessage): Promise<void> {
  // Other mail is not examined.
  if (!parsed.structure.parts.some(({ type }) => type === 'message/feedback-report')) return
  const complaint = readComplaint(message.bytes, parsed)
  if (!complaint || !isAgainstSender(complaint)) return
  const { store } = services
  const original = await store.read((reader) => signedOriginal(reader, message, parsed))
  if (original && (await takeCopy(services, original))) return
  const signed = original ? await store.read((reader) => submissionsOf(reader, original)) : []
  for (const submission of signed) if (await takeSigned(services, submission, complaint)) return
  for (const account of new Set(message.recipients.map(({ account }) => account)))
    await services.store.write([account], (work) => take(services, work.account(account), complaint))
}

/** @returns whether it is a message of a newsletter. Each has one recipient, whom its Message-ID names. */
async function takeCopy(services: Services, { organization, messageId }: SignedOriginal): Promise<boolean> {
  const named = recipientOfMessage(services.ids, messageId)
  if (named?.account !== organization) return false
  return services.store.write([organization], async (work) => {
    const unit = work.account(organization)
    const recipient = unit.isDeleted ? null : await findRecipient(unit, organization, named.recipient)
    if (!recipient) return false
    const outcomes = new CopyOutcomes(services, unit)
    await outcomes.complained(recipient, true)
    await outcomes.finish()
    return true
  })
}

/** @returns whether the submission has the recipient of the complaint */
function takeSigned(
  services: Services,
  { account, organization, id }: SubmissionTable,
  { addresses }: Complaint,
): Promise<boolean> {
  return services.store.write([account, organization], async (work) => {
    const unit = work.account(account)
    const submission = unit.isDeleted ? null : await findSubmission(unit, account, id)
    if (submission?.undo_status !== 'final') return false
    const recipients = await recipientsOf(unit, account, id)
    const isOnly = recipients.length === 1
    const recipient = isOnly ? recipients[0] : namedAmong(recipients, addresses)
    if (!recipient) return false
    const known = recipient.complained ?? 0
    if (known === 1 || (known !== 0 && !isOnly)) return true
    await updateRecipient(unit, id, recipient.position, { complained: isOnly ? 1 : 2 })
    const consequences = new Consequences(services, unit, work.account(organization))
    await consequences.complained(submission, recipient, isOnly)
    await consequences.finish()
    unit.change('EmailSubmission', id, 'u', ['deliveryStatus'])
    return true
  })
}

function namedAmong(
  recipients: readonly SubmissionRecipientTable[],
  addresses: readonly string[],
): SubmissionRecipientTable | undefined {
  const names = new Set(addresses.map(normaliseAddress))
  return recipients.find(({ address }) => names.has(normaliseAddress(address)))
}

/** Records a complaint about mail that the receiving account sent. */
async function take(services: Services, unit: AccountUnit, complaint: Complaint): Promise<void> {
  if (unit.isDeleted) return
  const { envelopeId, messageIds, addresses } = complaint
  const named = { addresses, action: '', status: null, smtpReply: null }
  const submission = await findReported(services, unit, { kind: 'dsn', envelopeId, messageIds, recipients: [named] })
  if (submission?.undo_status !== 'final') return
  const recipients = await recipientsOf(unit, unit.account, submission.id)
  const recipient = namedAmong(recipients, addresses)
  if (!recipient || (recipient.complained ?? 0) !== 0) return
  await updateRecipient(unit, submission.id, recipient.position, { complained: 2 })
  await new Consequences(services, unit, null).complained(submission, recipient, false)
  unit.change('EmailSubmission', submission.id, 'u', ['deliveryStatus'])
}
