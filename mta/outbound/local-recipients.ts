/** Local recipients of the queue: their messages take the same local delivery as mail from outside. */
import type { DeliveryResult } from '../../jmap/delivery/delivery-result.ts'
import type { RecipientVerdict } from '../../jmap/delivery/ingest.ts'
import type { QueuedRecipient, QueuedSubmission } from '../../jmap/mail/submission/queue-description.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { LocalDelivery } from '../inbound/local-delivery.ts'
import { failureReply } from '../smtp/failure-reply.ts'
import { type Reply, rejectionReply, reply } from '../smtp/reply.ts'
import { receivedLocally } from '../smtp/trace-fields.ts'
import { type RecipientResult, sameResult } from './transport.ts'

export interface LocalDeliveryOptions {
  readonly delivery: LocalDelivery
  readonly hostname: string
  readonly log: Logger
}

/** Recipients by the core's verdict: remote ones, local ones, and results for those that are not delivered now. */
export interface SortedRecipients {
  readonly remote: readonly QueuedRecipient[]
  readonly local: readonly { readonly recipient: QueuedRecipient; readonly account: number }[]
  readonly settled: readonly RecipientResult[]
}

export async function sortRecipients(
  recipients: readonly QueuedRecipient[],
  delivery: LocalDelivery,
): Promise<SortedRecipients> {
  const verdicts = await Promise.all(recipients.map(({ address }) => delivery.verdict(address)))
  const remote: QueuedRecipient[] = []
  const local: { recipient: QueuedRecipient; account: number }[] = []
  const settled: RecipientResult[] = []
  for (const [i, recipient] of recipients.entries()) {
    const verdict = verdicts[i]!
    if (verdict.status === 'notLocal') remote.push(recipient)
    else if (verdict.status === 'accepted') local.push({ recipient, account: verdict.account })
    else settled.push(...sameResult([recipient], ...refusal(verdict)))
  }
  return { remote, local, settled }
}

/** @param now epoch ms. Never rejects. */
export async function deliverLocally(
  submission: QueuedSubmission,
  local: SortedRecipients['local'],
  now: number,
  { delivery, hostname, log }: LocalDeliveryOptions,
): Promise<RecipientResult[]> {
  if (local.length === 0) return []
  const recipients = local.map(({ recipient }) => recipient)
  const { bytes } = submission
  const recipient = local.length === 1 ? recipients[0]!.address : null
  const by = `${hostname} (Posthouse)`
  try {
    const results = await delivery.deliver({
      mailFrom: submission.mailFrom,
      recipients: local.map(({ recipient: { address }, account }) => ({ address, account })),
      trace: receivedLocally({ by, id: submission.submissionId, at: now, recipient }),
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      receivedAt: now,
    })
    return recipients.flatMap((one, i) => sameResult([one], ...stored(results[i]!)))
  } catch (error) {
    log.error({ submission: submission.submissionId, error: errorMessage(error) }, 'local delivery failed')
    return sameResult(recipients, 'deferred', failureReply(error))
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
