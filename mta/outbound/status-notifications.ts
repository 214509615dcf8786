/** Delivery status notifications to senders (RFC 3461 5): which are due, and their delivery. */
import type { DeliveryResult } from '../../jmap/delivery/delivery-result.ts'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { LocalDelivery } from '../inbound/local-delivery.ts'
import { buildDsn, type DsnAction, type DsnRecipient } from '../reports/dsn.ts'
import { notifies } from '../smtp/envelope-parameters.ts'
import { receivedLocally } from '../smtp/trace-fields.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import type { RecipientResult } from './transport.ts'

export interface NotificationOptions {
  readonly delivery: LocalDelivery
  readonly hostname: string
  readonly postmaster: string
  readonly schedule: RetrySchedule
  readonly log: Logger
}

/** The notifications that are due after an attempt, by action. @param reportsDelay whether this attempt reports delays */
export function notificationsDue(
  submission: QueuedSubmission,
  results: readonly RecipientResult[],
  reportsDelay: boolean,
): Map<DsnAction, DsnRecipient[]> {
  const due = new Map<DsnAction, DsnRecipient[]>()
  // RFC 5321 4.5.5, RFC 3464 2: no notification is sent about a notification.
  // Statistics of a newsletter tell what became of its messages.
  if (submission.mailFrom === '' || submission.isBulk) return due
  for (const { address, status, smtpReply, host, relayed } of results) {
    const parameters = submission.recipients.find((recipient) => recipient.address === address)?.parameters ?? {}
    let action: DsnAction | null = null
    if (status === 'refused' && notifies(parameters, 'FAILURE')) action = 'failed'
    else if (status === 'deferred' && reportsDelay && notifies(parameters, 'DELAY')) action = 'delayed'
    else if (status === 'sent' && notifies(parameters, 'SUCCESS')) {
      // A next hop that supports DSN notifies the sender itself.
      action = host === null ? 'delivered' : relayed ? 'relayed' : null
    }
    if (action) due.set(action, [...(due.get(action) ?? []), { address, parameters, smtpReply, host }])
  }
  return due
}

/**
 * Builds a notification and delivers it to the account that sent the message: the reverse-path is an address of that account. A full mailbox
 * still gets notifications of failures, without the message; it gets no others.
 * @param now epoch ms. Rejects when the notification could not be stored; the caller has to try again.
 */
export async function sendNotification(
  submission: QueuedSubmission,
  action: DsnAction,
  recipients: readonly DsnRecipient[],
  now: number,
  options: NotificationOptions,
): Promise<void> {
  const whole = await store(submission, action, recipients, now, false, options)
  const status =
    whole === 'overQuota' && action === 'failed'
      ? await store(submission, action, recipients, now, true, options)
      : whole
  if (status === 'stored') return
  options.log.warn({ submission: submission.submissionId, action, status }, 'a notification was not stored')
}

async function store(
  submission: QueuedSubmission,
  action: DsnAction,
  recipients: readonly DsnRecipient[],
  now: number,
  evenOverQuota: boolean,
  { delivery, hostname, postmaster, schedule }: NotificationOptions,
): Promise<DeliveryResult['status']> {
  const { mailFrom, account, parameters, bytes, queuedAt } = submission
  const id = `${submission.submissionId}.${submission.attempts}.${action}`
  const dsn = buildDsn({
    action,
    recipients,
    sender: mailFrom,
    parameters: evenOverQuota ? { ...parameters, RET: 'HDRS' } : parameters,
    original: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    queuedAt,
    now,
    retryUntil: queuedAt + schedule.expiry,
    hostname,
    postmaster,
    // The same id for the same attempt: a notification that is built twice after a crash is one message.
    messageId: `<${id}@${hostname}>`,
  })
  const [result] = await delivery.deliver({
    mailFrom: '',
    recipients: [{ address: mailFrom, account }],
    trace: receivedLocally({ by: `${hostname} (Posthouse)`, id, at: now, recipient: mailFrom }),
    bytes: dsn,
    receivedAt: now,
    reports: { submission: submission.submission, evenOverQuota },
  })
  return result!.status
}
