/** Handlers of port 25: recipients are judged at RCPT, messages by the checks; 250 is sent when the message is stored for all recipients. */

import type { DeliveryResult } from '../../jmap/delivery/delivery-result.ts'
import type { LocalRecipient } from '../../jmap/delivery/inbound-message.ts'
import type { InboundVerdict } from '../../jmap/delivery/inbound-verdict.ts'
import type { RecipientVerdict } from '../../jmap/delivery/ingest.ts'
import { type HeaderBlock, readWholeHeader } from '../../jmap/message/header-block.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { ReturnAddresses } from '../reports/return-addresses.ts'
import { type Reply, rejectionReply, reply } from '../smtp/reply.ts'
import type { ReceivedMessage, RecipientAnswer, SmtpHandlers } from '../smtp/session.ts'
import { receivedFrom } from '../smtp/trace-fields.ts'
import type { InboundCheck } from './checks/check.ts'
import type { LocalDelivery } from './local-delivery.ts'
import { type DeliveryAttempt, PartialDeliveries } from './partial-deliveries.ts'

export interface InboundOptions {
  readonly hostname: string
  /** The address that `<postmaster>` without a domain stands for. */
  readonly postmaster: string
  readonly delivery: LocalDelivery
  readonly checks: readonly InboundCheck[]
  /** Return addresses, to which bounces of sent messages come. */
  readonly returns: ReturnAddresses
  readonly log: Logger
}

export function createInboundHandlers(options: InboundOptions): SmtpHandlers {
  const partial = new PartialDeliveries()
  return {
    sender: () => null,
    async recipient(address) {
      // RFC 5321 4.5.1: <postmaster> without a domain is this host's postmaster.
      const recipient = address.includes('@') ? address : options.postmaster
      return recipientAnswer(await options.delivery.verdict(recipient))
    },
    message: (message) => receive(options, partial, message),
  }
}

function recipientAnswer(verdict: RecipientVerdict): RecipientAnswer {
  switch (verdict.status) {
    case 'accepted':
      return { account: verdict.account }
    case 'unknownUser':
      return { refusal: reply(550, '5.1.1', 'No such mailbox here') }
    case 'notLocal':
      return { refusal: reply(550, '5.7.1', 'Relaying denied') }
    case 'overQuota':
      return { refusal: reply(452, '4.2.2', 'Mailbox is full') }
    case 'suspended':
      return { refusal: reply(450, '4.2.1', 'Mailbox is suspended for now') }
    case 'closed':
      return { refusal: reply(550, '5.2.1', 'Mailbox is suspended') }
  }
}

async function receive(options: InboundOptions, partial: PartialDeliveries, message: ReceivedMessage): Promise<Reply> {
  const judged = await judge(options, message)
  if ('refusal' in judged) return judged.refusal
  const attempt = await partial.begin(message.mailFrom, message.bytes, message.recipients.length)
  const recipients = message.recipients.filter(({ account }) => !attempt.known.has(account!)) as LocalRecipient[]
  const received = { by: `${options.hostname} (Posthouse)`, id: message.id, at: message.receivedAt }
  const recipient = message.recipients.length === 1 ? message.recipients[0]!.address : null
  const addresses = recipients.map(({ address }) => address)
  const returned = options.returns.tokensOf(addresses, message.bytes, judged.header)
  const results =
    recipients.length === 0
      ? []
      : await options.delivery.deliver({
          mailFrom: message.mailFrom,
          recipients,
          // RFC 8601 5: the results of checks stand above the Received field.
          trace: judged.fields + receivedFrom(message.session, message.parameters, { ...received, recipient }),
          bytes: message.bytes,
          isGiven: !options.checks.some(({ mayStillSend }) => mayStillSend),
          header: judged.header,
          receivedAt: message.receivedAt,
          verdict: judged.verdict,
          ...(returned.length > 0 && { returned }),
        })
  return answer(options.log, attempt, message, recipients, bouncesTaken(options, recipients, results))
}

/** A bounce has been processed though a full mailbox does not store it: it counts as taken, so that it is not sent again. */
function bouncesTaken(
  { returns }: InboundOptions,
  recipients: readonly LocalRecipient[],
  results: readonly DeliveryResult[],
): DeliveryResult[] {
  return results.map((result, i) =>
    result.status === 'overQuota' && returns.read(recipients[i]!.address) ? { status: 'discarded' } : result,
  )
}

/** Runs the checks in order; the first refusal ends the run. */
async function judge(
  { checks, log }: InboundOptions,
  message: ReceivedMessage,
): Promise<{ fields: string; verdict: InboundVerdict; header: HeaderBlock } | { refusal: Reply }> {
  const header = readWholeHeader(message.bytes)
  const { remoteAddress: address, helo } = message.session
  let verdict: InboundVerdict = { client: { address, helo } }
  let fields = ''
  for (const check of checks) {
    const result = await check.run({ message, header }, verdict)
    if ('refusal' in result) {
      const { code, text } = result.refusal
      log.info({ mail: message.id, check: check.name, reply: code, text }, 'a message was refused')
      return result
    }
    fields += result.fields ?? ''
    verdict = { ...verdict, ...result.verdict }
  }
  return { fields, verdict, header }
}

/** @param message its octets have been given away */
function answer(
  log: Logger,
  attempt: DeliveryAttempt,
  message: Omit<ReceivedMessage, 'bytes'>,
  recipients: readonly LocalRecipient[],
  results: readonly DeliveryResult[],
): Reply {
  const stored = recipients.filter((_, i) => isTaken(results[i]!)).map(({ account }) => account)
  if (stored.length === recipients.length) {
    attempt.forget()
    log.info(
      { mail: message.id, from: message.mailFrom, recipients: message.recipients.length },
      'a message was delivered',
    )
    return reply(250, '2.6.0', `Stored as ${message.id}`)
  }
  const [first] = results
  // RFC 5429 2.1.1: the message is refused in the SMTP session, so that no bounce is sent.
  if (first?.status === 'rejected') return rejectionReply(first.reason)
  // At the retry, RCPT refuses a mailbox that no longer exists, and a full mailbox may have room.
  if (stored.length > 0) attempt.remember(stored)
  else if (results.every(({ status }) => status === 'unknownAccount'))
    return reply(550, '5.1.1', 'No such mailbox here')
  return reply(452, '4.2.2', 'A mailbox is full')
}

/** RFC 5228 4.4: a message that a script discards is accepted. */
function isTaken({ status }: DeliveryResult): boolean {
  return status === 'stored' || status === 'discarded'
}
