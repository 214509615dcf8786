/**
 * Final delivery (RFC 5321 2.1): the one way of a message into mailboxes of this installation. Mail from outside, local mail from the queue
 * and delivery status notifications all take it. It writes the Return-Path and the trace fields, and hands the messages of one turn of the
 * event loop to the core together; it makes no decision about them.
 */

import type { DeliveryResult } from '../../jmap/delivery/delivery-result.ts'
import type { InboundMessage, LocalRecipient } from '../../jmap/delivery/inbound-message.ts'
import type { RecipientVerdict } from '../../jmap/delivery/ingest.ts'
import type { HeaderBlock, HeaderField } from '../../jmap/message/header-block.ts'
import { isNamed } from '../../jmap/message/headers.ts'
import { withoutFields } from '../../jmap/message/without-fields.ts'
import type { Core } from '../../jmap/services.ts'
import { Failure } from '../../server/base/errors.ts'
import { freeMemory } from '../../server/base/free-memory.ts'
import { INGEST_BATCH_BYTES, INGEST_BATCH_MESSAGES } from '../../server/base/smtp-limits.ts'
import { joinInTurns } from '../../server/base/turns.ts'
import { Batcher } from '../smtp/batcher.ts'
import { returnPath } from '../smtp/trace-fields.ts'
import { isForgedResults } from './forged-results.ts'

/** A message whose trace fields are not written yet. */
export interface UntracedMessage extends InboundMessage {
  readonly bytes: Buffer
  /** Header fields to write in front, each with its line end: Received, and those of checks. */
  readonly trace: string
  /** The octets are not read again by the caller: their memory is freed. */
  readonly isGiven?: boolean
  /** Header of `bytes`, where it has been read. */
  readonly header?: HeaderBlock | undefined
}

export interface LocalDelivery {
  /** Whether the core takes mail for an address. Addresses of one turn of the event loop go to the core together. */
  verdict(address: string): Promise<RecipientVerdict>
  /**
   * Stores a message, once, for all its recipients: their results in order. Resolves when the message is on disk; rejects when nothing was
   * stored.
   */
  deliver(message: UntracedMessage): Promise<DeliveryResult[]>
}

type IngestCore = Pick<Core, 'recipients' | 'ingest'>

/** @param hostname authserv-id of this server: fields of others that use it are removed */
export function createLocalDelivery(core: IngestCore, hostname = ''): LocalDelivery {
  const addresses = new Batcher<string, RecipientVerdict>((batch) => core.recipients(batch))
  const messages = new Batcher<InboundMessage, DeliveryResult[]>((batch) => core.ingest(batch), { fits })
  return {
    verdict: (address) => addresses.add(address),
    async deliver({ trace, header, isGiven = false, ...message }) {
      // An account that several recipients lead to, such as aliases, gets the message once.
      const recipients = oncePerAccount(message.recipients)
      const bytes = await withTrace({ ...message, trace, header }, hostname.toLowerCase())
      if (isGiven) freeMemory(message.bytes)
      const results = await messages.add({ ...message, bytes, recipients })
      for (const result of results)
        if (result.status === 'failed')
          throw result.code === null ? new Error(result.message) : new Failure(result.code, result.message)
      const accounts = recipients.map(({ account }) => account)
      return message.recipients.map(({ account }) => results[accounts.indexOf(account)]!)
    },
  }
}

function oncePerAccount(recipients: readonly LocalRecipient[]): LocalRecipient[] {
  const addresses = new Map<number, string>()
  for (const { account, address } of recipients) if (!addresses.has(account)) addresses.set(account, address)
  return [...addresses].map(([account, address]) => ({ account, address }))
}

function fits(batch: readonly InboundMessage[], next: InboundMessage): boolean {
  if (batch.length >= INGEST_BATCH_MESSAGES) return false
  return batch.reduce((sum, { bytes }) => sum + bytes.length, next.bytes.length) <= INGEST_BATCH_BYTES
}

function withTrace({ mailFrom, trace, bytes, header }: UntracedMessage, authservId: string): Promise<Buffer> {
  // RFC 5321 4.4: a message has one Return-Path, and final delivery writes it.
  const isForeign = (field: HeaderField) => isNamed(field, 'return-path') || isForgedResults(bytes, field, authservId)
  return joinInTurns([Buffer.from(returnPath(mailFrom) + trace), ...withoutFields(bytes, isForeign, { header })])
}
