/** Tells senders what became of their messages (RFC 3461 5): whether a notification is due, and how it gets to them. */
import type { DeliveryResult } from '../../jmap/mail/delivery/inbound-message.ts'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Delivery } from '../inbound/delivery.ts'
import { buildDsn, type DsnAction, type DsnRecipient } from '../reports/dsn.ts'
import { notifies } from '../smtp/envelope-parameters.ts'
import { receivedLocally } from '../smtp/trace.ts'
import type { CarriedRecipient } from './carrier.ts'
import type { RetrySchedule } from './schedule.ts'

export interface NotifierOptions {
  readonly delivery: Delivery
  readonly hostname: string
  readonly postmaster: string
  readonly schedule: RetrySchedule
  readonly log: Logger
}

/** What the recipients of one attempt are to be told as. @param delayed whether this attempt is the one that tells of delays. */
export function notificationsDue(
  submission: QueuedSubmission,
  carried: readonly CarriedRecipient[],
  delayed: boolean,
): Map<DsnAction, DsnRecipient[]> {
  const due = new Map<DsnAction, DsnRecipient[]>()
  // RFC 5321 4.5.5, RFC 3464 2: nobody is told of a message that is a notification itself.
  if (submission.mailFrom === '') return due
  for (const { address, status, smtpReply, host, relayed } of carried) {
    const parameters = submission.recipients.find((recipient) => recipient.address === address)?.parameters ?? {}
    let action: DsnAction | null = null
    if (status === 'refused' && notifies(parameters, 'FAILURE')) action = 'failed'
    else if (status === 'deferred' && delayed && notifies(parameters, 'DELAY')) action = 'delayed'
    else if (status === 'sent' && notifies(parameters, 'SUCCESS')) {
      // A next hop that speaks DSN tells the sender itself.
      action = host === null ? 'delivered' : relayed ? 'relayed' : null
    }
    if (action) due.set(action, [...(due.get(action) ?? []), { address, parameters, smtpReply, host }])
  }
  return due
}

/**
 * Builds a notification and puts it into the account that sent the message, which alone may have the reverse-path as its own. A full
 * mailbox takes a failure all the same, without the message; other notifications it does without.
 * @param now epoch ms. Rejects when it could not be stored; it is then to be tried again.
 */
export async function notify(
  submission: QueuedSubmission,
  action: DsnAction,
  recipients: readonly DsnRecipient[],
  now: number,
  options: NotifierOptions,
): Promise<void> {
  const whole = await store(submission, action, recipients, now, false, options)
  const status =
    whole === 'overQuota' && action === 'failed'
      ? await store(submission, action, recipients, now, true, options)
      : whole
  if (status === 'stored') return
  options.log.warn({ submission: submission.submissionId, action, status }, 'a sender could not be told')
}

async function store(
  submission: QueuedSubmission,
  action: DsnAction,
  recipients: readonly DsnRecipient[],
  now: number,
  evenOverQuota: boolean,
  { delivery, hostname, postmaster, schedule }: NotifierOptions,
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
    // The same for the same attempt: made twice after a crash, it is one message.
    messageId: `<${id}@${hostname}>`,
  })
  const [result] = await delivery.commit({
    mailFrom: '',
    recipients: [{ address: mailFrom, account }],
    trace: receivedLocally({ by: `${hostname} (Posthouse)`, id, at: now, recipient: mailFrom }),
    bytes: dsn,
    receivedAt: now,
    reports: { submission: submission.submission, evenOverQuota },
  })
  return result!.status
}
