/** The commands of a mail transaction, with the parameters that the peer supports (RFC 5321 4.1.1.2, 4.1.1.3). Pure. */
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import { encodeOrcpt } from '../smtp/envelope-parameters.ts'
import { encodeXtext } from '../smtp/xtext.ts'
import type { TransactionEnvelope } from './transaction.ts'
import type { OutgoingMessage } from './transport.ts'

/** Extensions that a peer offers in its reply to EHLO. */
export type Extension = 'DSN' | 'SMTPUTF8' | '8BITMIME' | 'STARTTLS' | 'PIPELINING' | 'SIZE'
type Supports = (extension: Extension) => boolean

/** @throws Error for an address that no command can hold */
export function envelopeOf(message: OutgoingMessage, supports: Supports): TransactionEnvelope {
  const recipients = message.recipients.map((recipient) => ({
    address: recipient.address,
    rcpt: `RCPT TO:<${safe(recipient.address)}>${recipientParameters(recipient, supports)}`,
  }))
  return { mail: mailCommand(message, supports), recipients, pieces: message.pieces }
}

function mailCommand(message: OutgoingMessage, supports: Supports): string {
  const { mailFrom, parameters, recipients, size, eightBit, utf8Header } = message
  const needsUtf8 = utf8Header || [mailFrom, ...recipients.map(({ address }) => address)].some(isBeyondAscii)
  const written = [
    eightBit && supports('8BITMIME') ? ' BODY=8BITMIME' : '',
    size > 0 && supports('SIZE') ? ` SIZE=${size}` : '',
    supports('DSN') ? dsnParameters(message) : '',
    needsUtf8 && supports('SMTPUTF8') ? ' SMTPUTF8' : '',
    // RFC 8689 3
    Object.hasOwn(parameters, 'REQUIRETLS') ? ' REQUIRETLS' : '',
  ]
  return `MAIL FROM:<${safe(mailFrom)}>${written.join('')}`
}

/** RFC 3461 4.3, 4.4 */
function dsnParameters({ parameters }: OutgoingMessage): string {
  const ret = parameters['RET'] ?? ''
  const envid = parameters['ENVID'] ?? ''
  return `${/^(FULL|HDRS)$/i.test(ret) ? ` RET=${ret}` : ''}${envid ? ` ENVID=${encodeXtext(envid)}` : ''}`
}

/** RFC 3461 4.1, 4.2 */
function recipientParameters({ parameters }: QueuedRecipient, supports: Supports): string {
  if (!supports('DSN')) return ''
  const notify = parameters['NOTIFY'] ?? null
  const orcpt = parameters['ORCPT'] ? encodeOrcpt(parameters['ORCPT']) : null
  return `${notify && /^[A-Z,]+$/i.test(notify) ? ` NOTIFY=${notify}` : ''}${orcpt ? ` ORCPT=${orcpt}` : ''}`
}

/** @throws Error for an address that could be read as another command */
function safe(address: string): string {
  if (/[\r\n<>]/.test(address)) throw new Error(`Invalid address ${JSON.stringify(address)}`)
  return address
}

function isBeyondAscii(text: string): boolean {
  return /[^\u0000-\u007f]/.test(text)
}
