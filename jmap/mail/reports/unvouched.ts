/**
 * Complaints that name no return address of ours: whoever has the message could write them. They are told of and shown, once, but
 * neither count for the reputation nor suppress.
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { recipientsOf, updateRecipient } from '../../../storage/repos/submission-recipients.ts'
import type { Services } from '../../context.ts'
import { normaliseAddress } from '../addresses.ts'
import type { InboundMessage } from '../delivery/inbound-message.ts'
import type { ParsedMessage } from '../message/structure.ts'
import { Consequences } from '../submission/outcomes.ts'
import { findReported } from '../submission/reports.ts'
import { type Complaint, isAgainstSender, readComplaint } from './complaint.ts'

export async function takeUnvouched(services: Services, message: InboundMessage, parsed: ParsedMessage): Promise<void> {
  // Other mail is not looked into.
  if (!parsed.structure.parts.some(({ type }) => type === 'message/feedback-report')) return
  const complaint = readComplaint(message.bytes, parsed)
  if (!complaint || !isAgainstSender(complaint)) return
  for (const account of new Set(message.deliveries.map((delivery) => delivery.account)))
    await services.store.write([account], (work) => take(services, work.account(account), complaint))
}

/** What the account that receives it has sent. */
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
