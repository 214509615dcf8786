/** Builds delivery status notifications (RFC 3464, RFC 3461 6). Pure: to whom they go, and whether, is decided elsewhere. */
import { isAscii } from 'node:buffer'
import { type BodySpec, generateMessage } from '../../jmap/mail/message/generate.ts'
import type { EnvelopeParameters } from '../../jmap/mail/submission/envelope.ts'
import { DSN_FULL_MAX_BYTES } from '../../server/base/outbound-limits.ts'
import { fieldText, type HeaderBlock, readHeaderBlock } from '../smtp/header-block.ts'
import { enhancedCode, oneLine } from '../smtp/reply.ts'
import { formatDate } from '../smtp/trace.ts'
import { encodeUtf8Address } from '../smtp/xtext.ts'

/** RFC 3464 2.3.3 */
export type DsnAction = 'failed' | 'delayed' | 'delivered' | 'relayed'

export interface DsnRecipient {
  readonly address: string
  readonly parameters: EnvelopeParameters
  /** One line with an enhanced status code. */
  readonly smtpReply: string
  /** The server that said so; null when we said it. */
  readonly host: string | null
}

export interface DsnSpec {
  readonly action: DsnAction
  readonly recipients: readonly DsnRecipient[]
  /** Reverse-path of the message, to whom this goes. */
  readonly sender: string
  /** Parameters of its MAIL. */
  readonly parameters: EnvelopeParameters
  /** The message as it was queued. */
  readonly original: Buffer
  /** Epoch ms when it was queued, of this attempt, and until when it is tried (for `delayed`). */
  readonly queuedAt: number
  readonly now: number
  readonly retryUntil: number
  /** Of this server. */
  readonly hostname: string
  /** Address that the notification comes from. */
  readonly postmaster: string
  /** With its angle brackets. */
  readonly messageId: string
}

const WORDS: { readonly [action in DsnAction]: { subject: string; text: string } } = {
  failed: {
    subject: 'Your message could not be delivered',
    text: 'Your message could not be delivered to the recipients below. It will not be tried again.',
  },
  delayed: {
    subject: 'Your message is delayed',
    text: 'Your message could not be delivered to the recipients below yet. It will be tried again; you need not send it again.',
  },
  delivered: {
    subject: 'Your message was delivered',
    text: 'Your message was delivered to the mailboxes of the recipients below.',
  },
  relayed: {
    subject: 'Your message was passed on',
    text: 'Your message was passed on to servers that will not report on it further, for the recipients below.',
  },
}

/** The whole message, with its header. */
export function buildDsn(spec: DsnSpec): Buffer {
  const words = WORDS[spec.action]
  const block = readHeaderBlock(spec.original)
  const generated = generateMessage({
    headers: [
      { name: 'From', form: 'Addresses', value: [{ name: 'Mail Delivery System', email: spec.postmaster }] },
      { name: 'To', form: 'Addresses', value: [{ name: null, email: spec.sender }] },
      { name: 'Subject', form: 'Text', value: words.subject },
      { name: 'Date', form: 'Date', value: new Date(spec.now).toISOString() },
      { name: 'Message-ID', form: 'Raw', value: ` ${spec.messageId}` },
      ...references(spec.original, block),
      // RFC 3834 5: so that nobody answers by machine.
      { name: 'Auto-Submitted', form: 'Raw', value: ' auto-replied' },
    ],
    body: {
      type: 'multipart/report',
      parameters: { 'report-type': 'delivery-status' },
      subParts: [
        { type: 'text/plain', content: { text: explanation(spec, words.text) } },
        { type: 'message/delivery-status', content: { bytes: Buffer.from(statusFields(spec)) } },
        returned(spec, block),
      ],
    },
  })
  if (!generated.bytes)
    throw new Error(`a DSN could not be written: ${generated.error.at}: ${generated.error.description}`)
  return generated.bytes
}

function explanation(spec: DsnSpec, words: string): string {
  const lines = spec.recipients.map(({ address, smtpReply, host }) => {
    const said = host ? `${host} said: ${smtpReply}` : smtpReply
    return `  ${address}\n    ${said}\n`
  })
  const until = spec.action === 'delayed' ? `It is tried until ${formatDate(spec.retryUntil)}.\n\n` : ''
  return `This is the mail system at ${spec.hostname}.\n\n${words}\n\n${until}${lines.join('\n')}`
}

/** RFC 3464 2.1: per-message fields, then a group for each recipient, each after an empty line. */
function statusFields(spec: DsnSpec): string {
  const envid = spec.parameters['ENVID']
  const message = [
    ...(envid ? [`Original-Envelope-Id: ${asciiText(envid)}`] : []),
    `Reporting-MTA: dns; ${asciiText(spec.hostname)}`,
    `Arrival-Date: ${formatDate(spec.queuedAt)}`,
  ]
  const groups = spec.recipients.map(({ address, parameters, smtpReply, host }) => [
    ...(parameters['ORCPT'] ? [`Original-Recipient: ${statusAddress(parameters['ORCPT'])}`] : []),
    `Final-Recipient: ${statusAddress(`rfc822;${address}`)}`,
    `Action: ${spec.action}`,
    `Status: ${enhancedCode(smtpReply)}`,
    ...(host ? [`Remote-MTA: dns; ${asciiText(host)}`] : []),
    ...(spec.action === 'delivered' ? [] : [`Diagnostic-Code: smtp; ${asciiText(smtpReply)}`]),
    `Last-Attempt-Date: ${formatDate(spec.now)}`,
    ...(spec.action === 'delayed' ? [`Will-Retry-Until: ${formatDate(spec.retryUntil)}`] : []),
  ])
  return [message, ...groups].map((lines) => lines.map((line) => `${line}\r\n`).join('')).join('\r\n')
}

/** RFC 3461 6.2: the whole message only of a failure, when it was asked for; else its header. Large ones are not sent back. */
function returned({ action, parameters, original }: DsnSpec, block: HeaderBlock): BodySpec {
  const whole = action === 'failed' && parameters['RET'] === 'FULL' && original.length <= DSN_FULL_MAX_BYTES
  if (whole) return { type: 'message/rfc822', content: { bytes: original } }
  const header = original.subarray(0, block.end)
  // RFC 6533 6.3: a header beyond ASCII.
  return { type: isAscii(header) ? 'text/rfc822-headers' : 'message/global-headers', content: { bytes: header } }
}

/** The notification belongs to the conversation of the message. */
function references(original: Buffer, block: HeaderBlock) {
  const field = block.fields.find(({ name }) => name === 'message-id')
  const id = field && /<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>/.exec(fieldText(original, field))?.[0]
  if (!id) return []
  return ['In-Reply-To', 'References'].map((name) => ({ name, form: 'Raw', value: ` ${id}` }) as const)
}

/** RFC 3464 2.3.2, RFC 6533 3: `type;address`, with an address beyond ASCII written in ASCII. */
function statusAddress(typed: string): string {
  const semicolon = typed.indexOf(';')
  const address = oneLine(typed.slice(semicolon + 1))
  if (isAsciiText(address)) return `${typed.slice(0, semicolon)};${address}`
  return `utf-8;${encodeUtf8Address(address)}`
}

function asciiText(text: string): string {
  return oneLine(text).replace(/[^\u0020-\u007e]/g, '?')
}

function isAsciiText(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text)
}
