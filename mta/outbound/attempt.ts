/** One attempt at one submission: local recipients, the others by transport, recipients given up, notifications to the sender. */

import type { KeyObject } from 'node:crypto'
import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { AttemptReport } from '../../jmap/mail/submission/queue-report.ts'
import { readWholeHeader } from '../../jmap/message/header-block.ts'
import { isNamed } from '../../jmap/message/headers.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import { SMTP_MAX_HOPS } from '../../server/base/smtp-limits.ts'
import type { LocalDelivery } from '../inbound/local-delivery.ts'
import { verpAddress } from '../reports/verp.ts'
import { oneLine, reply } from '../smtp/reply.ts'
import type { Contact } from './destinations.ts'
import { deliverLocally, sortRecipients } from './local-recipients.ts'
import { isExpired, nextAttemptAt, reportsDelay } from './retry-schedule.ts'
import { type NotificationOptions, notificationsDue, sendNotification } from './status-notifications.ts'
import { type RecipientResult, sameResult, type Transport } from './transport.ts'
import { toWireMessage } from './wire-message.ts'

export interface AttemptOptions extends NotificationOptions {
  readonly delivery: LocalDelivery
  readonly transport: Transport
  /** Secrets of the return addresses, the newest first; without any, the reverse-path is the sender's address. */
  readonly returnKeys: readonly KeyObject[]
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
}

export interface Attempted {
  readonly report: AttemptReport
  readonly contact: Contact
}

/** Never rejects: after an error recipients stay `deferred`. */
export async function attempt(
  submission: QueuedSubmission,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<Attempted> {
  const { clock, log } = options
  let results: RecipientResult[]
  try {
    results = await send(submission, signal, options)
  } catch (error) {
    log.error({ submission: submission.submissionId, error: errorMessage(error) }, 'an attempt failed')
    results = sameResult(submission.recipients, 'deferred', reply(451, '4.3.0', 'Temporary error of this server'))
  }
  const contact = contactOf(results)
  const now = clock.now()
  if (isExpired(submission, now, options.schedule)) results = results.map(giveUp)
  results = await notifySender(submission, results, now, options)
  const isOpen = results.some(({ status }) => status === 'deferred')
  const report: AttemptReport = {
    account: submission.account,
    submission: submission.submission,
    lease: submission.lease,
    outcomes: results.map(({ address, status, smtpReply, host }) => ({ address, status, smtpReply, host })),
    retryAt: isOpen ? nextAttemptAt(submission, now, options.random(), options.schedule) : null,
  }
  return { report, contact }
}

/** One answer is enough: recipients may have separate transactions. */
function contactOf(results: readonly RecipientResult[]): Contact {
  const contacts = results.map(({ contact = 'answered' }) => contact)
  return contacts.find((one) => one === 'answered') ?? contacts.find((one) => one === 'silent') ?? 'none'
}

async function send(
  submission: QueuedSubmission,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<RecipientResult[]> {
  const { bytes, recipients } = submission
  const { fields } = readWholeHeader(bytes)
  // RFC 5321 6.3: a forwarded message may come back through other servers.
  if (fields.filter((field) => isNamed(field, 'received')).length > SMTP_MAX_HOPS) {
    return sameResult(recipients, 'refused', reply(554, '5.4.6', 'Too many hops: the message is in a loop'))
  }
  const sorted = await sortRecipients(recipients, options.delivery)
  const [local, remote] = await Promise.all([
    deliverLocally(submission, sorted.local, options.clock.now(), options),
    sendOut(submission, sorted.remote, signal, options),
  ])
  return [...sorted.settled, ...local, ...remote]
}

async function sendOut(
  submission: QueuedSubmission,
  recipients: QueuedSubmission['recipients'],
  signal: AbortSignal,
  { transport, returnKeys, clock, log }: AttemptOptions,
): Promise<RecipientResult[]> {
  if (recipients.length === 0) return []
  const { submissionId: id, mailFrom, returnDomain, relay, parameters, attempts, startBy } = submission
  try {
    const message = await toWireMessage(submission, clock.now())
    const key = returnKeys[0]
    if (returnDomain === null || mailFrom === '' || !key)
      return await transport.send(
        { id, mailFrom, relay, parameters, attempts, startBy, recipients, ...message },
        signal,
      )
    // Each recipient has its own reverse-path, and so its own transaction.
    const results = recipients.map((recipient) => {
      const token = { account: submission.account, submission: submission.submission, position: recipient.position }
      const returnAddress = verpAddress(token, returnDomain, key, clock.now())
      const own = { mailFrom: returnAddress, recipients: [recipient] }
      const outgoing = { id, relay, parameters, attempts, startBy, ...own, ...message }
      return transport.send(outgoing, signal)
    })
    return (await Promise.all(results)).flat()
  } catch (error) {
    // Receivers take an unsigned message for a forged one, so it is not sent.
    log.error({ submission: id, error: errorMessage(error) }, 'a message could not be signed')
    return sameResult(recipients, 'deferred', reply(451, '4.7.5', 'The message could not be signed'))
  }
}

/** RFC 3463 3.5: 4.4.7 is the status of a message whose time has run out. */
function giveUp(result: RecipientResult): RecipientResult {
  if (result.status !== 'deferred') return result
  return {
    ...result,
    status: 'refused',
    smtpReply: oneLine(`451 4.4.7 Delivery time expired; the last reply was: ${result.smtpReply}`),
  }
}

/** A failure whose notification cannot be stored stays `deferred`, so that the next attempt sends the notification. */
async function notifySender(
  submission: QueuedSubmission,
  results: RecipientResult[],
  now: number,
  options: AttemptOptions,
): Promise<RecipientResult[]> {
  const due = notificationsDue(submission, results, reportsDelay(submission, options.schedule))
  for (const [action, recipients] of due) {
    try {
      await sendNotification(submission, action, recipients, now, options)
    } catch (error) {
      options.log.error(
        { submission: submission.submissionId, action, error: errorMessage(error) },
        'a notification failed',
      )
      if (action !== 'failed') continue
      const unreported = new Set(recipients.map(({ address }) => address))
      results = results.map((result) => (unreported.has(result.address) ? { ...result, status: 'deferred' } : result))
    }
  }
  return results
}
