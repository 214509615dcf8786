/** The delivery status of a submission, per recipient and in all: EmailSubmission's deliveryStatus, and the vendor properties of Email. */
import { isOneOf } from '../../../server/base/known-names.ts'
import type { Reader } from '../../../storage/ports.ts'
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import { outgoingOf } from '../../../storage/repos/outgoing.ts'
import { recipientsOf } from '../../../storage/repos/submission-recipients.ts'
import { submissionOfEmail } from '../../../storage/repos/submissions.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../../../storage/schema/tables.ts'
import { parseKeywords } from '../../message/keywords.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { ReadContext } from '../../type/handlers.ts'
import type { Email } from '../email/email.type.ts'
import { EmailSubmission } from './email-submission.type.ts'

type DeliveryStatus = NonNullable<ObjectOf<typeof EmailSubmission>['deliveryStatus']>

/** RFC 8621 7: deliveryStatus by address. If an address occurs several times, the last one counts. */
export function deliveryStatus(recipients: readonly SubmissionRecipientTable[]): DeliveryStatus {
  const status: { [address: string]: DeliveryStatus[string] } = {}
  for (const recipient of recipients) {
    status[recipient.address] = {
      // RFC 8621 7: the reply of the SMTP server; before the first reply, a text that the message is queued.
      smtpReply: recipient.smtp_reply ?? '250 2.0.0 queued',
      delivered: deliveredOf(recipient),
      displayed: recipient.displayed === 1 ? 'yes' : 'unknown',
    }
  }
  return status
}

/** RFC 8621 7: handing over to another server is not delivery. Only that server, or a mailbox of this server, knows of the delivery. */
function deliveredOf({ status, host, delivered }: SubmissionRecipientTable): 'queued' | 'yes' | 'no' | 'unknown' {
  if (status === 'open') return 'queued'
  if (status === 'refused') return 'no'
  return delivered ?? (host === null ? 'yes' : 'unknown')
}

const DELIVERY_PROPERTIES = ['deliveryStatus', 'recipients', 'scheduledAt', 'updatedAt', 'tags'] as const

/** Properties of Email that derive from its newest submission. */
export function isDeliveryProperty(name: string): name is (typeof DELIVERY_PROPERTIES)[number] {
  return isOneOf(DELIVERY_PROPERTIES, name)
}

export type Delivery = Pick<ObjectOf<typeof Email>, (typeof DELIVERY_PROPERTIES)[number]>

/** The delivery properties of an email (decisions D13, D14). @param wasSent whether it may have a submission */
export async function deliveryOf(read: ReadContext, email: EmailSummary, wasSent: boolean): Promise<Delivery> {
  const submission = wasSent && (await submissionOfEmail(read.reader, read.method.account.number, email.id))
  if (submission) return deliveryOfSubmission(read.reader, read.method.services.clock.now(), submission)
  const isDraft = parseKeywords(email.keywords).includes('$draft')
  const updatedAt = formatUTCDate(email.created_at)
  const deliveryStatus = isDraft ? 'draft' : 'delivered'
  return { deliveryStatus, recipients: [], scheduledAt: null, updatedAt, tags: {} }
}

export async function deliveryOfSubmission(
  reader: Reader,
  now: number,
  submission: SubmissionTable,
): Promise<Delivery> {
  const recipients = await recipientsOf(reader, submission.account, submission.id)
  const tried = recipients.map((recipient) => recipient.tried_at ?? submission.created_at)
  const state = overall(submission, recipients, { isSending: await isSending(reader, submission, now), now })
  return {
    deliveryStatus: state,
    scheduledAt: state === 'scheduled' ? formatUTCDate(submission.send_at) : null,
    recipients: recipients.map((recipient) => ({
      address: recipient.address,
      status: submission.undo_status === 'canceled' ? 'cancelled' : statusOf(recipient),
      smtpReply: recipient.smtp_reply,
    })),
    updatedAt: formatUTCDate(Math.max(submission.created_at, ...tried)),
    tags: EmailSubmission.properties.tags.fromText(submission.tags),
  }
}

const STATUS = { open: 'queued', sent: 'delivered', refused: 'bounced' } as const

function statusOf(recipient: SubmissionRecipientTable): string {
  if (recipient.complained) return 'complained'
  if (recipient.status === 'open' && recipient.tried_at !== null) return 'deferred'
  return isBounced(recipient) ? 'bounced' : STATUS[recipient.status]
}

function isBounced(recipient: SubmissionRecipientTable): boolean {
  return deliveredOf(recipient) === 'no'
}

/** Whether a worker is sending it to a destination. */
async function isSending(reader: Reader, { account, id, due_at }: SubmissionTable, now: number): Promise<boolean> {
  const open = due_at === null ? [] : await outgoingOf(reader, account, id)
  return open.some((row) => row.lease !== null && row.due_at > now)
}

/** The least finished state while any recipient is open; `bounced` only if all are (decision D13). */
function overall(
  submission: SubmissionTable,
  recipients: readonly SubmissionRecipientTable[],
  { isSending, now }: { readonly isSending: boolean; readonly now: number },
): string {
  if (submission.undo_status === 'canceled') return 'cancelled'
  const open = recipients.filter(({ status }) => status === 'open')
  if (open.length > 0) {
    if (isSending) return 'sending'
    if (open.some(({ tried_at }) => tried_at !== null)) return 'deferred'
    return submission.send_at > now ? 'scheduled' : 'queued'
  }
  const [first, ...others] = new Set(recipients.map(statusOf))
  return first !== undefined && others.length === 0 ? first : 'delivered'
}
