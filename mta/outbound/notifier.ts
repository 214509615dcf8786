/** Tells senders what became of their messages (RFC 3461 5): whether a notification is due, and how it gets to them. */
import type { Core, QueuedSubmission } from '../../jmap/core.ts'
import { QUEUE_EXPIRY_MS } from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import type { Delivery } from '../inbound/delivery.ts'
import { buildDsn, type DsnAction, type DsnRecipient } from '../reports/dsn.ts'
import { notifies } from '../smtp/envelope-parameters.ts'
import { receivedLocally } from '../smtp/trace.ts'
import type { CarriedRecipient } from './carrier.ts'

export interface NotifierOptions {
  readonly core: Pick<Core, 'submit'>
  readonly delivery: Delivery
  readonly hostname: string
  readonly postmaster: string
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
 * Builds a notification and brings it to the sender: into the mailbox when it is one of ours, else into the queue.
 * @param now epoch ms. Rejects when it could not be stored; it is then to be tried again.
 */
export async function notify(
  submission: QueuedSubmission,
  action: DsnAction,
  recipients: readonly DsnRecipient[],
  now: number,
  options: NotifierOptions,
): Promise<void> {
  const { delivery, hostname, postmaster, log } = options
  const id = `${submission.submissionId}.${submission.attempts}.${action}`
  const original = Buffer.from(submission.bytes.buffer, submission.bytes.byteOffset, submission.bytes.byteLength)
  const bytes = buildDsn({
    action,
    recipients,
    sender: submission.mailFrom,
    parameters: submission.parameters,
    original,
    queuedAt: submission.queuedAt,
    now,
    retryUntil: submission.queuedAt + QUEUE_EXPIRY_MS,
    hostname,
    postmaster,
    // The same for the same attempt: made twice after a crash, it is one message.
    messageId: `<${id}@${hostname}>`,
  })
  const verdict = await delivery.verdict(submission.mailFrom)
  if (verdict.status === 'unknownUser') {
    log.warn({ submission: submission.submissionId, action }, 'the sender of a message is gone; nobody is told')
    return
  }
  if (verdict.status === 'accepted') {
    const recipient = submission.mailFrom
    const trace = receivedLocally({ by: `${hostname} (Posthouse)`, id, at: now, recipient })
    const mail = {
      mailFrom: '',
      recipients: [{ address: recipient, account: verdict.account }],
      trace,
      bytes,
      receivedAt: now,
    }
    const [result] = await delivery.commit(mail)
    if (result?.status !== 'overQuota') return
  }
  // Not ours, or not able to take it now: the queue keeps trying.
  const message = {
    bytes,
    mailFrom: '',
    recipients: [{ address: submission.mailFrom, parameters: { NOTIFY: 'NEVER' } }],
  }
  const queued = await options.core.submit(SYSTEM, message)
  if (queued.status === 'refused') {
    log.error({ submission: submission.submissionId, reason: queued.reason }, 'a notification could not be queued')
  }
}
