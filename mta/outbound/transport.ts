/** One message to one next hop: its hosts in turn, what each reply means for each recipient (RFC 5321 4.2.1, 5.1). */
import { domainToASCII } from 'node:url'
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import { OUTBOUND_RECIPIENTS } from '../../server/base/outbound-limits.ts'
import { isEnvelopeAddress } from '../smtp/path.ts'
import { normalizeReply, oneLine, reply, replyLine } from '../smtp/reply.ts'
import { type CarriedRecipient, isTlsRequired, type OutgoingMail, outcomes } from './carrier.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { openPeer, type Target } from './open-peer.ts'
import type { PeerConnection } from './peer-connection.ts'
import type { PeerError, Transaction } from './transaction.ts'

export interface TransportOptions {
  readonly hostname: string
  readonly pool: ConnectionPool
  readonly log: Logger
}

/** Outcomes; or, when the host was not to be had, why, and whether that will stay so. */
type HostResult = { readonly carried: CarriedRecipient[] } | { readonly next: string; readonly permanent: boolean }

export async function carryTo(
  targets: readonly Target[],
  mail: OutgoingMail,
  signal: AbortSignal,
  options: TransportOptions,
): Promise<CarriedRecipient[]> {
  const good = mail.recipients.filter(({ address }) => isSendable(address))
  const bad = mail.recipients.filter(({ address }) => !isSendable(address))
  const carried = outcomes(bad, 'refused', reply(553, '5.1.3', 'The address cannot be written in SMTP'))
  for (let from = 0; from < good.length; from += OUTBOUND_RECIPIENTS) {
    const recipients = good.slice(from, from + OUTBOUND_RECIPIENTS)
    carried.push(...(await carryPart(targets, { ...mail, recipients }, signal, options)))
  }
  return carried
}

async function carryPart(
  targets: readonly Target[],
  mail: OutgoingMail,
  signal: AbortSignal,
  options: TransportOptions,
): Promise<CarriedRecipient[]> {
  let last = '451 4.4.1 No mail host could be reached'
  let permanent = targets.length > 0
  for (const target of targets) {
    if (signal.aborted) return outcomes(mail.recipients, 'deferred', '451 4.4.2 The attempt took too long')
    const result = await carryToHost(target, mail, signal, options)
    if ('carried' in result) return result.carried
    options.log.info({ mail: mail.id, host: target.name, reply: result.next }, 'a mail host was not to be had')
    last = result.next
    permanent &&= result.permanent
  }
  return outcomes(mail.recipients, permanent ? 'refused' : 'deferred', last, targets.at(-1)?.name ?? null)
}

async function carryToHost(
  target: Target,
  mail: OutgoingMail,
  signal: AbortSignal,
  options: TransportOptions,
): Promise<HostResult> {
  const key = connectionKey(target)
  for (;;) {
    let taken: { connection: PeerConnection; fresh: boolean }
    try {
      taken = await options.pool.take(key, () => openPeer(target, options.hostname, signal), signal)
    } catch (error) {
      return { next: connectReply(error as PeerError), permanent: isNeverAgain(error as PeerError) }
    }
    const { connection, fresh } = taken
    const abort = () => connection.abort()
    signal.addEventListener('abort', abort, { once: true })
    let reusable = false
    try {
      const result = await speak(connection, target, mail)
      reusable = true
      return result
    } catch (error) {
      // It had been idle, and the host had closed it: that says nothing about the message.
      if (!fresh && !(error as PeerError).response && !signal.aborted) continue
      return afterError(error as TransactionError, target, mail)
    } finally {
      signal.removeEventListener('abort', abort)
      options.pool.give(key, connection, reusable)
    }
  }
}

/** Connections that were opened under the same demands may carry each other's messages. */
function connectionKey({ name, ip, port, tls, verify, dane, login }: Target): string {
  const pins = dane?.map(({ usage, selector, matching, data }) => [usage, selector, matching, data.toString('hex')])
  return JSON.stringify([ip, port, tls, login?.user ?? '', ...(verify || pins ? [name, verify, pins ?? []] : [])])
}

/** The message over an open connection. Rejects with the library's error. */
async function speak(connection: PeerConnection, target: Target, mail: OutgoingMail): Promise<HostResult> {
  if (connection.maxSize > 0 && mail.bytes.length > connection.maxSize) {
    const text = reply(
      552,
      '5.3.4',
      `The message is larger than the ${connection.maxSize} octets that ${target.name} takes`,
    )
    return { carried: outcomes(mail.recipients, 'refused', text, target.name) }
  }
  // RFC 8689 4.1: a host that would not pass the demand on does not get the message.
  if (isTlsRequired(mail) && !connection.offersRequireTls) {
    const text = reply(550, '5.7.30', `${target.name} does not promise to go on over TLS (REQUIRETLS)`)
    return { next: replyLine(text), permanent: true }
  }
  // RFC 6152 3: without 8BITMIME there is converting, which would break signatures, or returning.
  if (mail.eightBit && !connection.supports('8BITMIME')) {
    const text = reply(554, '5.6.3', `${target.name} takes no octets beyond ASCII (8BITMIME)`)
    return { carried: outcomes(mail.recipients, 'refused', text, target.name) }
  }
  const utf8 = connection.supports('SMTPUTF8')
  const needs = (address: string) => !isAscii(wireAddress(address))
  const all = mail.utf8Header || needs(mail.mailFrom)
  const refused = utf8 ? [] : mail.recipients.filter(({ address }) => all || needs(address))
  // RFC 6531 3.6: what needs SMTPUTF8 is not given to who does not offer it.
  const text = reply(553, '5.6.7', `${target.name} takes no addresses or headers beyond ASCII (SMTPUTF8)`)
  const carried = outcomes(refused, 'refused', text, target.name)
  const open = mail.recipients.filter((recipient) => !refused.includes(recipient))
  if (open.length === 0) return { carried }
  const wire = { ...mail, mailFrom: wireAddress(mail.mailFrom), recipients: open.map(toWire) }
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
      carried.push(refusedRecipient(address, error, target, open.length))
      continue
    }
    // RFC 8621 7: what RCPT was answered, once the message as a whole is taken.
    const smtpReply = normalizeReply(transaction.replies.get(wireAddress(address)) ?? '250 2.0.0 Ok')
    carried.push({ address, status: 'sent', smtpReply, host: target.name, relayed })
  }
  return { carried }
}

/** `transaction`: how far it had come. */
interface TransactionError extends PeerError {
  readonly transaction?: Transaction
}

function refusalsOf(transaction: Transaction | undefined): ReadonlyMap<string | undefined, PeerError> {
  return new Map(transaction?.rejected.map((error) => [error.recipient, error]))
}

function afterError(error: TransactionError, target: Target, mail: OutgoingMail): HostResult {
  // A host that cannot take mail just now: the next one may.
  if (error.command === 'MAIL FROM' && error.response && isTemporary(error)) {
    return { next: normalizeReply(error.response), permanent: false }
  }
  const refusals = refusalsOf(error.transaction)
  const carried = mail.recipients.map(({ address }): CarriedRecipient => {
    const own = refusals.get(wireAddress(address))
    if (own) return refusedRecipient(address, own, target, mail.recipients.length)
    const status = error.response && !isTemporary(error) ? 'refused' : 'deferred'
    return {
      address,
      status,
      smtpReply: error.response ? normalizeReply(error.response) : lostReply(error),
      host: target.name,
    }
  })
  return { carried }
}

function refusedRecipient(address: string, error: PeerError, target: Target, among: number): CarriedRecipient {
  // RFC 5321 4.5.3.1.10: 552 for one of many recipients means that there are too many.
  const tooMany = error.responseCode === 552 && among > 1
  const status = isTemporary(error) || tooMany ? 'deferred' : 'refused'
  return { address, status, smtpReply: normalizeReply(error.response ?? ''), host: target.name }
}

/** 503 says that the session was in the wrong state, not that the message is refused. */
function isTemporary({ responseCode }: PeerError): boolean {
  return !responseCode || responseCode < 500 || responseCode > 599 || responseCode === 503
}

/** RFC 7504: a host that never takes mail says 521, or 556 for a domain. */
function isNeverAgain({ responseCode }: PeerError): boolean {
  return responseCode === 521 || responseCode === 556
}

function connectReply(error: PeerError): string {
  return error.response ? normalizeReply(error.response) : oneLine(`451 4.4.1 No connection: ${errorMessage(error)}`)
}

function lostReply(error: PeerError): string {
  return oneLine(`451 4.4.2 The connection was lost: ${errorMessage(error)}`)
}

function isSendable(address: string): boolean {
  return isEnvelopeAddress(address) && !/[<>]/.test(address)
}

function toWire(recipient: QueuedRecipient): QueuedRecipient {
  return { ...recipient, address: wireAddress(recipient.address) }
}

/** An address whose local part is ASCII needs no SMTPUTF8: its domain goes as A-labels (RFC 5890). */
function wireAddress(address: string): string {
  if (isAscii(address)) return address
  const at = address.lastIndexOf('@')
  const domain = domainToASCII(address.slice(at + 1))
  return isAscii(address.slice(0, at)) && domain ? `${address.slice(0, at)}@${domain}` : address
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text)
}
