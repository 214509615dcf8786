/** Recipients of our own: what the queue holds for them goes through the same door as mail from outside. */
import type { DeliveryResult } from '../../jmap/mail/delivery/inbound-message.ts'
import type { RecipientVerdict } from '../../jmap/mail/delivery.ts'
import type { QueuedRecipient, QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Delivery } from '../inbound/delivery.ts'
import { failureReply } from '../smtp/failure-reply.ts'
import { type Reply, rejectionReply, reply } from '../smtp/reply.ts'
import { receivedLocally } from '../smtp/trace.ts'
import { type CarriedRecipient, outcomes } from './carrier.ts'

export interface LocalCarrierOptions {
  readonly delivery: Delivery
  readonly hostname: string
  readonly log: Logger
}

/** What the core says of each recipient: those for the outside, and outcomes for the others that are not to be tried now. */
export interface Sorted {
  readonly remote: readonly QueuedRecipient[]
  readonly local: readonly { readonly recipient: QueuedRecipient; readonly account: number }[]
  readonly settled: readonly CarriedRecipient[]
}

export async function sortRecipients(recipients: readonly QueuedRecipient[], delivery: Delivery): Promise<Sorted> {
  const verdicts = await Promise.all(recipients.map(({ address }) => delivery.verdict(address)))
  const remote: QueuedRecipient[] = []
  const local: { recipient: QueuedRecipient; account: number }[] = []
  const settled: CarriedRecipient[] = []
  for (const [i, recipient] of recipients.entries()) {
    const verdict = verdicts[i]!
    if (verdict.status === 'notLocal') remote.push(recipient)
    else if (verdict.status === 'accepted') local.push({ recipient, account: verdict.account })
    else settled.push(...outcomes([recipient], ...refusal(verdict)))
  }
  return { remote, local, settled }
}

/** @param now epoch ms. Never rejects. */
export async function deliverLocally(
  submission: QueuedSubmission,
  local: Sorted['local'],
  now: number,
  { delivery, hostname, log }: LocalCarrierOptions,
): Promise<CarriedRecipient[]> {
  if (local.length === 0) return []
  const recipients = local.map(({ recipient }) => recipient)
  const { bytes } = submission
  const recipient = local.length === 1 ? recipients[0]!.address : null
  const by = `${hostname} (Posthouse)`
  try {
    const results = await delivery.commit({
      mailFrom: submission.mailFrom,
      recipients: local.map(({ recipient: { address }, account }) => ({ address, account })),
      trace: receivedLocally({ by, id: submission.submissionId, at: now, recipient }),
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      receivedAt: now,
    })
    return recipients.flatMap((one, i) => outcomes([one], ...stored(results[i]!)))
  } catch (error) {
    log.error({ submission: submission.submissionId, error: errorMessage(error) }, 'local delivery failed')
    return outcomes(recipients, 'deferred', failureReply(error))
  }
}

function refusal({ status }: RecipientVerdict): ['refused' | 'deferred', Reply] {
  if (status === 'suspended') return ['deferred', reply(450, '4.2.1', 'The mailbox is suspended for now')]
  if (status === 'closed') return ['refused', reply(550, '5.2.1', 'The mailbox is suspended')]
  if (status === 'overQuota') return ['deferred', reply(452, '4.2.2', 'The mailbox is full')]
  return ['refused', reply(550, '5.1.1', 'No such mailbox here')]
}

function stored(result: DeliveryResult): ['sent' | 'refused' | 'deferred', Reply] {
  const { status } = result
  if (status === 'stored' || status === 'discarded') return ['sent', reply(250, '2.1.5', 'Delivered to the mailbox')]
  if (status === 'rejected') return ['refused', rejectionReply(result.reason)]
  if (status === 'overQuota') return ['deferred', reply(452, '4.2.2', 'The mailbox is full')]
  return ['refused', reply(550, '5.1.1', 'No such mailbox here')]
}
