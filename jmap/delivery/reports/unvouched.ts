/**
 * Complaints without a return address of this server: anyone who has the message could write them. They are stored and shown once, but
 * count neither for reputation nor for suppressions.
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { recipientsOf, updateRecipient } from '../../../storage/repos/submission-recipients.ts'
import { type Complaint, isAgainstSender, readComplaint } from '../../mail/reports/complaint.ts'
import { Consequences } from '../../mail/submission/outcomes.ts'
import { findReported } from '../../mail/submission/reports.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import type { Services } from '../../type/context.ts'
import type { InboundMessage } from '../inbound-message.ts'

export async function takeUnvouched(services: Services, message: InboundMessage, parsed: ParsedMessage): Promise<void> {
  // Other mail is not examined.
  if (!parsed.structure.parts.some(({ type }) => type === 'message/feedback-report')) return
  const complaint = readComplaint(message.bytes, parsed)
  if (!complaint || !isAgainstSender(complaint)) return
  for (const account of new Set(message.recipients.map(({ account }) => account)))
    await services.store.write([account], (work) => take(services, work.account(account), complaint))
}

/** Records a complaint about mail that the receiving account sent. */
async function take(services: Services, unit: AccountUnit, complaint: Complaint): Promise<void> {
  if (unit.isDeleted) return
  const { envelopeId, messageIds, addresses } = complaint
  const named = { addresses, action: '', status: null, smtpReply: null }
  const submission = await findReported(services, unit, { kind: 'dsn', envelopeId, messageIds, recipients: [named] })
  if (submission?.undo_status !== 'final') return
  const recipients = await recipientsOf(unit, unit.account, submission.id)
  const names = new Set(addresses.map(normaliseAddress))
  const recipient = recipients.find(({ address }) => names.has(normaliseAddress(address)))
  if (!recipient || (recipient.complained ?? 0) !== 0) return
  await updateRecipient(unit, submission.id, recipient.position, { complained: 2 })
  await new Consequences(services, unit, null).complained(submission, recipient, false)
  unit.change('EmailSubmission', submission.id, 'u', ['deliveryStatus'])
}
