/**
 * The one way of a message into mailboxes of this installation: recipients -> body -> commit. Mail from outside, local mail from the
 * queue and delivery status notifications all take it. It owns the Return-Path and the batching; it judges nothing.
 */

import type { DeliveryResult, InboundMessage, OwnReport } from '../../jmap/mail/delivery/inbound-message.ts'
import type { RecipientVerdict } from '../../jmap/mail/delivery.ts'
import type { InboundVerdict } from '../../jmap/mail/inbound-verdict.ts'
import type { ReturnToken } from '../../jmap/mail/submission/return-token.ts'
import type { Core } from '../../jmap/services.ts'
import { isFailure } from '../../server/base/errors.ts'
import { INGEST_BATCH_BYTES, INGEST_BATCH_MESSAGES } from '../../server/base/limits.ts'
import { Batcher } from '../smtp/batcher.ts'
import { type HeaderField, readHeaderBlock, withoutFields } from '../smtp/header-block.ts'
import { returnPath } from '../smtp/trace.ts'
import { isForgedResults } from './forged-results.ts'

export interface LocalRecipient {
  readonly address: string
  readonly account: number
}

export interface LocalMail {
  readonly mailFrom: string
  readonly recipients: readonly LocalRecipient[]
  /** Header fields to write in front, each with its line end: Received, and what checks add. */
  readonly trace: string
  readonly bytes: Buffer
  /** Epoch ms. */
  readonly receivedAt: number
  readonly reports?: OwnReport
  /** What the checks found out; mail from outside has it. */
  readonly verdict?: InboundVerdict
  /** Return addresses of ours that it has come back to, or complains about. */
  readonly returned?: readonly ReturnToken[]
}

export interface Delivery {
  /** Whether addresses are taken. Questions of one turn of the event loop go to the core together. */
  verdict(address: string): Promise<RecipientVerdict>
  /** Stores a message, once, for all its recipients: their results in order. Resolves when it is on disk; rejects when nothing was stored. */
  commit(mail: LocalMail): Promise<DeliveryResult[]>
}

type Ingesting = Pick<Core, 'recipients' | 'ingest'>

/** @param hostname in whose name nobody else may tell results of authentication */
export function createDelivery(core: Ingesting, hostname = ''): Delivery {
  const questions = new Batcher<string, RecipientVerdict>((addresses) => core.recipients(addresses))
  const messages = new Batcher<InboundMessage, DeliveryResult[]>((batch) => core.ingest(batch), {
    fits,
    splitsOn: isOfOneMessage,
  })
  return {
    verdict: (address) => questions.add(address),
    async commit(mail) {
      const accounts = [...new Set(mail.recipients.map(({ account }) => account))]
      const results = await messages.add({
        bytes: writeTrace(mail, hostname.toLowerCase()),
        // A mailbox that is named twice, by an alias or so, gets the message once.
        deliveries: accounts.map((account) => ({
          account,
          recipient: mail.recipients.find((recipient) => recipient.account === account)!.address,
        })),
        receivedAt: mail.receivedAt,
        mailFrom: mail.mailFrom,
        ...(mail.reports && { reports: mail.reports }),
        ...(mail.verdict && { verdict: mail.verdict }),
        ...(mail.returned && { returned: mail.returned }),
      })
      return mail.recipients.map(({ account }) => results[accounts.indexOf(account)]!)
    },
  }
}

/** What is wrong with the store is wrong for every message of a batch. */
function isOfOneMessage(error: unknown): boolean {
  return (
    !isFailure(error, 'storageFull') && !isFailure(error, 'storageUnavailable') && !isFailure(error, 'shuttingDown')
  )
}

function fits(batch: readonly InboundMessage[], next: InboundMessage): boolean {
  if (batch.length >= INGEST_BATCH_MESSAGES) return false
  return batch.reduce((sum, { bytes }) => sum + bytes.length, next.bytes.length) <= INGEST_BATCH_BYTES
}

function writeTrace({ mailFrom, trace, bytes }: LocalMail, authservId: string): Buffer {
  const block = readHeaderBlock(bytes)
  // RFC 5321 4.4: there is one Return-Path, and it is ours.
  const isForeign = (field: HeaderField) => field.name === 'return-path' || isForgedResults(bytes, field, authservId)
  return Buffer.concat([Buffer.from(returnPath(mailFrom) + trace), ...withoutFields(bytes, block, isForeign)])
}
