/** What is said to a client on port 25: recipients are judged at RCPT, messages by the checks, and 250 is said when all is stored. */
import type { DeliveryResult } from '../../jmap/mail/delivery/inbound-message.ts'
import type { RecipientVerdict } from '../../jmap/mail/delivery.ts'
import type { InboundVerdict } from '../../jmap/mail/inbound-verdict.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { ReturnAddresses } from '../reports/returned.ts'
import { type HeaderBlock, readHeaderBlock } from '../smtp/header-block.ts'
import { type Reply, rejectionReply, reply } from '../smtp/reply.ts'
import type { ReceivedMail, RecipientAnswer, SmtpHandlers } from '../smtp/session.ts'
import { receivedFrom } from '../smtp/trace.ts'
import type { InboundCheck } from './checks/check.ts'
import type { Delivery, LocalRecipient } from './delivery.ts'
import { PartialDeliveries } from './partial-deliveries.ts'

export interface InboundOptions {
  readonly hostname: string
  /** Whose mailbox `<postmaster>` without a domain is. */
  readonly postmaster: string
  readonly delivery: Delivery
  readonly checks: readonly InboundCheck[]
  /** Where bounces of what this installation has sent come back. */
  readonly returns: ReturnAddresses
  readonly log: Logger
}

export function createInboundHandlers(options: InboundOptions): SmtpHandlers {
  const partial = new PartialDeliveries()
  return {
    sender: () => null,
    async recipient(address) {
      // RFC 5321 4.5.1: <postmaster> without a domain is this host's postmaster.
      const asked = address.includes('@') ? address : options.postmaster
      return recipientAnswer(await options.delivery.verdict(asked))
    },
    message: (mail) => receive(options, partial, mail),
  }
}

export function recipientAnswer(verdict: RecipientVerdict): RecipientAnswer {
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

async function receive(options: InboundOptions, partial: PartialDeliveries, mail: ReceivedMail): Promise<Reply> {
  const judged = await judge(options, mail)
  if ('refusal' in judged) return judged.refusal
  const known = partial.storedFor(mail.mailFrom, mail.bytes)
  const recipients = mail.recipients.filter(({ account }) => !known?.has(account!)) as LocalRecipient[]
  const line = { by: `${options.hostname} (Posthouse)`, id: mail.id, at: mail.receivedAt }
  const recipient = mail.recipients.length === 1 ? mail.recipients[0]!.address : null
  const addresses = recipients.map(({ address }) => address)
  const returned = options.returns.tokensOf(addresses, mail.bytes, judged.header)
  const results =
    recipients.length === 0
      ? []
      : await options.delivery.commit({
          mailFrom: mail.mailFrom,
          recipients,
          // RFC 8601 5: what the checks say stands above the trace of the way here.
          trace: judged.fields + receivedFrom(mail.session, mail.parameters, { ...line, recipient }),
          bytes: mail.bytes,
          receivedAt: mail.receivedAt,
          verdict: judged.verdict,
          ...(returned.length > 0 && { returned }),
        })
  return answer(options.log, partial, mail, recipients, withoutQuota(options, recipients, results))
}

/** What came back has been heard of, though a full mailbox does not keep it: its sender need not come again. */
function withoutQuota(
  { returns }: InboundOptions,
  recipients: readonly LocalRecipient[],
  results: readonly DeliveryResult[],
): DeliveryResult[] {
  return results.map((result, i) =>
    result.status === 'overQuota' && returns.read(recipients[i]!.address) ? { status: 'discarded' } : result,
  )
}

/** All checks in turn; the first refusal ends it. */
async function judge(
  { checks, log }: InboundOptions,
  mail: ReceivedMail,
): Promise<{ fields: string; verdict: InboundVerdict; header: HeaderBlock } | { refusal: Reply }> {
  const header = readHeaderBlock(mail.bytes)
  const { remoteAddress: address, helo } = mail.session
  let verdict: InboundVerdict = { client: { address, helo } }
  let fields = ''
  for (const check of checks) {
    const result = await check.run({ mail, header }, verdict)
    if ('refusal' in result) {
      const { code, text } = result.refusal
      log.info({ mail: mail.id, check: check.name, reply: code, text }, 'a message was refused')
      return result
    }
    fields += result.fields ?? ''
    verdict = { ...verdict, ...result.verdict }
  }
  return { fields, verdict, header }
}

function answer(
  log: Logger,
  partial: PartialDeliveries,
  mail: ReceivedMail,
  recipients: readonly LocalRecipient[],
  results: readonly DeliveryResult[],
): Reply {
  const stored = recipients.filter((_, i) => isTaken(results[i]!)).map(({ account }) => account)
  if (stored.length === recipients.length) {
    partial.forget(mail.mailFrom, mail.bytes)
    log.info({ mail: mail.id, from: mail.mailFrom, recipients: mail.recipients.length }, 'a message was delivered')
    return reply(250, '2.6.0', `Stored as ${mail.id}`)
  }
  const [first] = results
  // RFC 5429 2.1.1: refused in the dialogue, so that no bounce is sent.
  if (first?.status === 'rejected') return rejectionReply(first.reason)
  // At the retry RCPT says 550 for a mailbox that has gone, and a full one may have room.
  if (stored.length > 0) partial.remember(mail.mailFrom, mail.bytes, stored)
  else if (results.every(({ status }) => status === 'unknownAccount'))
    return reply(550, '5.1.1', 'No such mailbox here')
  return reply(452, '4.2.2', 'A mailbox is full')
}

/** What a script throws away has been taken all the same (RFC 5228 4.4). */
function isTaken({ status }: DeliveryResult): boolean {
  return status === 'stored' || status === 'discarded'
}
