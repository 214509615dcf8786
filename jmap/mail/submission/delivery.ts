/** The delivery status of a submission, per recipient and in all: EmailSubmission's deliveryStatus, and the vendor properties of Email. */
import { isOneOf } from '../../../server/base/known-names.ts'
import type { Reader } from '../../../storage/ports.ts'
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import { sendingAmong } from '../../../storage/repos/outgoing.ts'
import { recipientsOfSeveral } from '../../../storage/repos/submission-recipients.ts'
import { submissionsOfEmails } from '../../../storage/repos/submissions.ts'
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

/** The delivery properties of emails (decisions D13, D14), by the number of the email. */
export async function deliveriesOf(
  { reader, method }: ReadContext,
  emails: readonly EmailSummary[],
): Promise<ReadonlyMap<number, Delivery>> {
  const account = method.account.number
  const ids = emails.map(({ id }) => id)
  const submissions = await submissionsOfEmails(reader, account, ids)
  const now = method.services.clock.now()
  const deliveries = await deliveriesOfSubmissions(reader, account, submissions, now)
  const sent = new Map(submissions.map(({ id, email }) => [email, deliveries.get(id)!]))
  return new Map(emails.map((email) => [email.id, sent.get(email.id) ?? unsubmitted(email)]))
}

function unsubmitted({ keywords, created_at }: EmailSummary): Delivery {
  const isDraft = parseKeywords(keywords).includes('$draft')
  const updatedAt = formatUTCDate(created_at)
  return { deliveryStatus: isDraft ? 'draft' : 'delivered', recipients: [], scheduledAt: null, updatedAt, tags: {} }
}

/** The same of submissions of one account, by the number of the submission. */
export async function deliveriesOfSubmissions(
  reader: Reader,
  account: number,
  submissions: readonly SubmissionTable[],
  now: number,
): Promise<ReadonlyMap<number, Delivery>> {
  const ids = submissions.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const recipients = Map.groupBy(await recipientsOfSeveral(reader, account, ids), ({ submission }) => submission)
  const open = submissions.filter(({ due_at }) => due_at !== null).map(({ id }) => id)
  const sending = await sendingAmong(reader, account, open, now)
  return new Map(
    submissions.map((submission) => {
      const { id } = submission
      return [id, deliveryOf(submission, recipients.get(id) ?? [], { isSending: sending.has(id), now })]
    }),
  )
}

function deliveryOf(
  submission: SubmissionTable,
  recipients: readonly SubmissionRecipientTable[],
  at: { readonly isSending: boolean; readonly now: number },
): Delivery {
  const tried = recipients.map((recipient) => recipient.tried_at ?? submission.created_at)
  const state = overall(submission, recipients, at)
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
