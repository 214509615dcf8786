/** Sends one message to one next hop: its hosts in order, and the meaning of each reply for each recipient (RFC 5321 4.2.1, 5.1). */
import { domainToASCII } from 'node:url'
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import type { Clock } from '../../server/base/clock.ts'
import type { Logger } from '../../server/base/logger.ts'
import { OUTBOUND_RECIPIENTS } from '../../server/base/outbound-limits.ts'
import { isEnvelopeAddress } from '../smtp/path.ts'
import { normalizeReply, reply, replyLine } from '../smtp/reply.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { Contact } from './destinations.ts'
import { openPeer, type Target } from './open-peer.ts'
import type { PeerConnection } from './peer-connection.ts'
import { connectReply, contactOf, isPermanent, isTemporary, lostReply } from './peer-errors.ts'
import type { PeerHistory } from './peer-history.ts'
import type { PeerError, Transaction } from './transaction.ts'
import { isTlsRequired, type OutgoingMessage, type RecipientResult, sameResult } from './transport.ts'

export interface NextHopOptions {
  readonly hostname: string
  readonly pool: ConnectionPool
  readonly peers: PeerHistory
  readonly clock: Clock
  readonly log: Logger
}

/** Results of the recipients; or, if the host could not be used, the reply, whether that is permanent, and the contact. */
type HostResult =
  | { readonly results: RecipientResult[] }
  | { readonly unusable: string; readonly permanent: boolean; readonly contact: Contact }

export async function sendToNextHop(
  targets: readonly Target[],
  message: OutgoingMessage,
  signal: AbortSignal,
  options: NextHopOptions,
): Promise<RecipientResult[]> {
  const good = message.recipients.filter(({ address }) => isSendable(address))
  const bad = message.recipients.filter(({ address }) => !isSendable(address))
  const results = sameResult(bad, 'refused', reply(553, '5.1.3', 'The address cannot be written in SMTP'))
  for (let from = 0; from < good.length; from += OUTBOUND_RECIPIENTS) {
    const recipients = good.slice(from, from + OUTBOUND_RECIPIENTS)
    results.push(...(await sendPart(targets, { ...message, recipients }, signal, options)))
  }
  return results
}

async function sendPart(
  targets: readonly Target[],
  message: OutgoingMessage,
  signal: AbortSignal,
  options: NextHopOptions,
): Promise<RecipientResult[]> {
  let last = '451 4.4.1 No mail host could be reached'
  let permanent = targets.length > 0
  let contact: Contact = 'none'
  for (const target of targets) {
    if (signal.aborted) return unused(message, '451 4.4.2 The attempt took too long', null, contact)
    const result = await sendToHost(target, message, signal, options)
    if ('results' in result) return result.results
    options.log.info({ mail: message.id, host: target.name, reply: result.unusable }, 'a mail host could not be used')
    last = result.unusable
    permanent &&= result.permanent
    if (contact !== 'answered' && result.contact !== 'none') contact = result.contact
  }
  return unused(message, last, targets.at(-1)?.name ?? null, contact, permanent ? 'refused' : 'deferred')
}

function unused(
  { recipients }: OutgoingMessage,
  smtpReply: string,
  host: string | null,
  contact: Contact,
  status: 'refused' | 'deferred' = 'deferred',
): RecipientResult[] {
  return sameResult(recipients, status, smtpReply, host).map((result) => ({ ...result, contact }))
}

async function sendToHost(
  target: Target,
  message: OutgoingMessage,
  signal: AbortSignal,
  options: NextHopOptions,
): Promise<HostResult> {
  const key = connectionKey(target)
  const open = () => openPeer(target, { ...options, attempts: message.attempts }, signal)
  for (;;) {
    let taken: { connection: PeerConnection; fresh: boolean }
    try {
      taken = await options.pool.take(key, open, signal)
    } catch (error) {
      const failure = error as PeerError
      return { unusable: connectReply(failure), permanent: isPermanent(failure), contact: contactOf(failure) }
    }
    const { connection, fresh } = taken
    // It has waited for a connection: what was read for it may have changed.
    if (message.startBy !== null && options.clock.now() > message.startBy) {
      options.pool.give(key, connection, true)
      return { results: unused(message, '451 4.3.2 It waited too long for a connection', null, 'none') }
    }
    const abort = () => connection.abort()
    signal.addEventListener('abort', abort, { once: true })
    let isReusable = false
    try {
      const result = await speak(connection, target, message)
      isReusable = true
      return result
    } catch (error) {
      // The host has closed the idle connection: this is no result for the message.
      if (!fresh && !(error as PeerError).response && !signal.aborted) continue
      return afterError(error as TransactionError, target, message)
    } finally {
      signal.removeEventListener('abort', abort)
      options.pool.give(key, connection, isReusable)
    }
  }
}

/** Connections with the same key were opened under the same requirements, and may transfer each other's messages. */
function connectionKey({ name, ip, port, tls, verify, dane, login }: Target): string {
  const pins = dane?.map(({ usage, selector, matching, data }) => [usage, selector, matching, data.toString('hex')])
  return JSON.stringify([ip, port, tls, login?.user ?? '', ...(verify || pins ? [name, verify, pins ?? []] : [])])
}

/** The message over an open connection. Rejects with the library's error. */
async function speak(connection: PeerConnection, target: Target, message: OutgoingMessage): Promise<HostResult> {
  if (connection.maxSize > 0 && message.size > connection.maxSize) {
    const text = reply(
      552,
      '5.3.4',
      `The message is larger than the ${connection.maxSize} octets that ${target.name} takes`,
    )
    return { results: sameResult(message.recipients, 'refused', text, target.name) }
  }
  // RFC 8689 4.1: a host that does not support REQUIRETLS does not get the message.
  if (isTlsRequired(message) && !connection.offersRequireTls) {
    const text = reply(550, '5.7.30', `${target.name} does not promise to go on over TLS (REQUIRETLS)`)
    return { unusable: replyLine(text), permanent: true, contact: 'none' }
  }
  // RFC 6152 3: without 8BITMIME the message is converted, which would break signatures, or returned.
  if (message.eightBit && !connection.supports('8BITMIME')) {
    const text = reply(554, '5.6.3', `${target.name} takes no octets beyond ASCII (8BITMIME)`)
    return { results: sameResult(message.recipients, 'refused', text, target.name) }
  }
  const utf8 = connection.supports('SMTPUTF8')
  const needs = (address: string) => !isAscii(wireAddress(address))
  const all = message.utf8Header || needs(message.mailFrom)
  const refused = utf8 ? [] : message.recipients.filter(({ address }) => all || needs(address))
  // RFC 6531 3.6: what needs SMTPUTF8 is not sent to a host without it.
  const text = reply(553, '5.6.7', `${target.name} takes no addresses or headers beyond ASCII (SMTPUTF8)`)
  const results = sameResult(refused, 'refused', text, target.name)
  const open = message.recipients.filter((recipient) => !refused.includes(recipient))
  if (open.length === 0) return { results }
  const wire = { ...message, mailFrom: wireAddress(message.mailFrom), recipients: open.map(toWire) }
  const transaction = connection.transaction(wire)
  try {
    await connection.transmit(transaction)
  } catch (error) {
    throw Object.assign(error as PeerError, { transaction })
  }
  const refusals = refusalsOf(transaction)
  const relayed = !connection.supports('DSN')
  for (const { address } of open) {
    const error = refusals.get(wireAddress(address))
    if (error) {
      results.push(refusedRecipient(address, error, target, open.length))
      continue
    }
    // RFC 8621 7: the reply to RCPT, once the message is accepted.
    const smtpReply = normalizeReply(transaction.replies.get(wireAddress(address)) ?? '250 2.0.0 Ok')
    results.push({ address, status: 'sent', smtpReply, host: target.name, relayed })
  }
  return { results }
}

/** `transaction`: its state when the error came. */
interface TransactionError extends PeerError {
  readonly transaction?: Transaction
}

function refusalsOf(transaction: Transaction | undefined): ReadonlyMap<string | undefined, PeerError> {
  return new Map(transaction?.rejected.map((error) => [error.recipient, error]))
}

function afterError(error: TransactionError, target: Target, message: OutgoingMessage): HostResult {
  // The host cannot take mail now; the next one may.
  if (error.command === 'MAIL FROM' && error.response && isTemporary(error)) {
    return { unusable: normalizeReply(error.response), permanent: false, contact: 'answered' }
  }
  const refusals = refusalsOf(error.transaction)
  const results = message.recipients.map(({ address }): RecipientResult => {
    const own = refusals.get(wireAddress(address))
    if (own) return refusedRecipient(address, own, target, message.recipients.length)
    const status = error.response && !isTemporary(error) ? 'refused' : 'deferred'
    return {
      address,
      status,
      smtpReply: error.response ? normalizeReply(error.response) : lostReply(error),
      host: target.name,
      contact: error.response ? 'answered' : contactOf(error),
    }
  })
  return { results }
}

function refusedRecipient(address: string, error: PeerError, target: Target, among: number): RecipientResult {
  // RFC 5321 4.5.3.1.10: 552 for one of several recipients means too many recipients.
  const isTooMany = error.responseCode === 552 && among > 1
  const status = isTemporary(error) || isTooMany ? 'deferred' : 'refused'
  return { address, status, smtpReply: normalizeReply(error.response ?? ''), host: target.name }
}

function isSendable(address: string): boolean {
  return isEnvelopeAddress(address) && !/[<>]/.test(address)
}

function toWire(recipient: QueuedRecipient): QueuedRecipient {
  return { ...recipient, address: wireAddress(recipient.address) }
}

/** An address with an ASCII local part needs no SMTPUTF8: its domain is written in A-labels (RFC 5890). */
function wireAddress(address: string): string {
  if (isAscii(address)) return address
  const at = address.lastIndexOf('@')
  const domain = domainToASCII(address.slice(at + 1))
  return isAscii(address.slice(0, at)) && domain ? `${address.slice(0, at)}@${domain}` : address
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text)
}
