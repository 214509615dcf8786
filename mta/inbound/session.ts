/** What is said to a client on port 25: recipients are judged at RCPT, messages by the checks, and 250 is said when all is stored. */
import type { DeliveryResult, RecipientVerdict } from '../../jmap/core.ts'
import type { Logger } from '../../server/base/logger.ts'
import { readHeaderBlock } from '../smtp/header-block.ts'
import { type Reply, reply } from '../smtp/reply.ts'
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
  }
}

async function receive(options: InboundOptions, partial: PartialDeliveries, mail: ReceivedMail): Promise<Reply> {
  const header = readHeaderBlock(mail.bytes)
  let fields = ''
  for (const check of options.checks) {
    const result = await check.run({ mail, header })
    if ('refusal' in result) {
      options.log.info({ mail: mail.id, check: check.name, reply: result.refusal.code }, 'a message was refused')
      return result.refusal
    }
    fields += result.fields ?? ''
  }
  const known = partial.storedFor(mail.mailFrom, mail.bytes)
  const recipients = mail.recipients.filter(({ account }) => !known?.has(account!)) as LocalRecipient[]
  const line = { by: `${options.hostname} (Posthouse)`, id: mail.id, at: mail.receivedAt }
  const recipient = mail.recipients.length === 1 ? mail.recipients[0]!.address : null
  const results =
    recipients.length === 0
      ? []
      : await options.delivery.commit({
          mailFrom: mail.mailFrom,
          recipients,
          trace: receivedFrom(mail.session, mail.parameters, { ...line, recipient }) + fields,
          bytes: mail.bytes,
          receivedAt: mail.receivedAt,
        })
  return answer(options.log, partial, mail, recipients, results)
}

function answer(
  log: Logger,
  partial: PartialDeliveries,
  mail: ReceivedMail,
  recipients: readonly LocalRecipient[],
  results: readonly DeliveryResult[],
): Reply {
  const stored = recipients.filter((_, i) => results[i]!.status === 'stored').map(({ account }) => account)
  if (stored.length === recipients.length) {
    partial.forget(mail.mailFrom, mail.bytes)
    log.info({ mail: mail.id, from: mail.mailFrom, recipients: mail.recipients.length }, 'a message was delivered')
    return reply(250, '2.6.0', `Stored as ${mail.id}`)
  }
  // At the retry RCPT says 550 for a mailbox that has gone, and a full one may have room.
  if (stored.length > 0) partial.remember(mail.mailFrom, mail.bytes, stored)
  else if (results.every(({ status }) => status === 'unknownAccount'))
    return reply(550, '5.1.1', 'No such mailbox here')
  return reply(452, '4.2.2', 'A mailbox is full')
}
