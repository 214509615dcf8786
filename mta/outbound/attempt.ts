/** One attempt at one submission: local recipients, the others by next hop, what is given up, who is told. */

import type { QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import type { AttemptReport } from '../../jmap/mail/submission/queue-report.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import { SMTP_MAX_HOPS } from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Delivery } from '../inbound/delivery.ts'
import { readHeaderBlock } from '../smtp/header-block.ts'
import { oneLine, reply } from '../smtp/reply.ts'
import { type CarriedRecipient, type Carrier, outcomes } from './carrier.ts'
import { deliverLocally, sortRecipients } from './local.ts'
import { type NotifierOptions, notificationsDue, notify } from './notifier.ts'
import { prepareMessage } from './prepare.ts'
import { isExpired, nextAttemptAt, tellsDelay } from './schedule.ts'
import { verpAddress } from './verp.ts'

export interface AttemptOptions extends NotifierOptions {
  readonly delivery: Delivery
  readonly carrier: Carrier
  /** Secrets of return addresses, the newest first; without any, mail returns to who sent it. */
  readonly returnKeys: readonly Uint8Array[]
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
}

/** Never rejects: whatever goes wrong leaves recipients `deferred`. */
export async function attempt(
  submission: QueuedSubmission,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<AttemptReport> {
  const { clock, log } = options
  let carried: CarriedRecipient[]
  try {
    carried = await carry(submission, signal, options)
  } catch (error) {
    log.error({ submission: submission.submissionId, error: errorMessage(error) }, 'an attempt failed')
    carried = outcomes(submission.recipients, 'deferred', reply(451, '4.3.0', 'Temporary error of this server'))
  }
  const now = clock.now()
  if (isExpired(submission, now, options.schedule)) carried = carried.map(giveUp)
  carried = await tell(submission, carried, now, options)
  const open = carried.some(({ status }) => status === 'deferred')
  return {
    account: submission.account,
    submission: submission.submission,
    lease: submission.lease,
    outcomes: carried.map(({ address, status, smtpReply, host }) => ({ address, status, smtpReply, host })),
    retryAt: open ? nextAttemptAt(submission, now, options.random(), options.schedule) : null,
  }
}

async function carry(
  submission: QueuedSubmission,
  signal: AbortSignal,
  options: AttemptOptions,
): Promise<CarriedRecipient[]> {
  const { bytes, recipients } = submission
  const header = readHeaderBlock(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  // RFC 5321 6.3: what we forward may come back to us by way of others.
  if (header.fields.filter(({ name }) => name === 'received').length > SMTP_MAX_HOPS) {
    return outcomes(recipients, 'refused', reply(554, '5.4.6', 'Too many hops: the message is in a loop'))
  }
  const sorted = await sortRecipients(recipients, options.delivery)
  const [local, remote] = await Promise.all([
    deliverLocally(submission, sorted.local, options.clock.now(), options),
    carryOut(submission, sorted.remote, signal, options),
  ])
  return [...sorted.settled, ...local, ...remote]
}

async function carryOut(
  submission: QueuedSubmission,
  recipients: QueuedSubmission['recipients'],
  signal: AbortSignal,
  { carrier, returnKeys, clock, log }: AttemptOptions,
): Promise<CarriedRecipient[]> {
  if (recipients.length === 0) return []
  const { submissionId: id, mailFrom, returnDomain, relay, parameters } = submission
  try {
    const message = await prepareMessage(submission, clock.now())
    const key = returnKeys[0]
    if (returnDomain === null || mailFrom === '' || !key)
      return await carrier.carry({ id, mailFrom, relay, parameters, recipients, ...message }, signal)
    // Each has its own way back, and so its own transaction.
    const carried = recipients.map((recipient) => {
      const token = { account: submission.account, submission: submission.submission, position: recipient.position }
      const back = verpAddress(token, returnDomain, key, clock.now())
      return carrier.carry({ id, mailFrom: back, relay, parameters, recipients: [recipient], ...message }, signal)
    })
    return (await Promise.all(carried)).flat()
  } catch (error) {
    // Unsigned it would be taken for forged: better late than that.
    log.error({ submission: id, error: errorMessage(error) }, 'a message could not be made ready')
    return outcomes(recipients, 'deferred', reply(451, '4.7.5', 'The message could not be signed'))
  }
}

/** RFC 3463 3.5: 4.4.7 is the status of a message whose time has run out. */
function giveUp(one: CarriedRecipient): CarriedRecipient {
  if (one.status !== 'deferred') return one
  return {
    ...one,
    status: 'refused',
    smtpReply: oneLine(`451 4.4.7 Delivery time expired; the last reply was: ${one.smtpReply}`),
  }
}

/** A failure that cannot be told is no failure yet: those recipients stay open, so that it is told at the next attempt. */
async function tell(
  submission: QueuedSubmission,
  carried: CarriedRecipient[],
  now: number,
  options: AttemptOptions,
): Promise<CarriedRecipient[]> {
  const due = notificationsDue(submission, carried, tellsDelay(submission, options.schedule))
  for (const [action, recipients] of due) {
    try {
      await notify(submission, action, recipients, now, options)
    } catch (error) {
      options.log.error(
        { submission: submission.submissionId, action, error: errorMessage(error) },
        'a notification failed',
      )
      if (action !== 'failed') continue
      const untold = new Set(recipients.map(({ address }) => address))
      carried = carried.map((one) => (untold.has(one.address) ? { ...one, status: 'deferred' } : one))
    }
  }
  return carried
}
