/**
 * The messages of a newsletter: what they have in common is encoded once, and for each recipient only the holes are filled (RFC 2045 to
 * 2047, RFC 2369, RFC 2919, RFC 8058). Pure.
 */
import { randomUUID } from 'node:crypto'
import { quotedPrintable, SOFT_LINE_BREAK } from '../../message/body-encoding.ts'
import { encodeHeader, type HeaderSpec } from '../../message/header-encoding.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { fill, fillHole, type Hole, type MergeValues, type Template } from '../content/template.ts'

/** Its strings are quoted-printable. */
type EncodedTemplate = readonly (string | Hole)[]

/** Plain data: it is stored. */
export interface MessageTemplate {
  readonly fromAddress: string
  /** Fields of every message. */
  readonly header: string
  readonly subject: Template
  readonly boundary: string
  readonly text: EncodedTemplate
  readonly html: EncodedTemplate
  /** URL of the server, for links. */
  readonly baseUrl: string
  readonly archiveUrl: string | null
}

export interface TemplateParts extends Pick<MessageTemplate, 'fromAddress' | 'subject' | 'baseUrl' | 'archiveUrl'> {
  readonly fromName: string | null
  /** Address that answers go to; null: that of From. */
  readonly replyTo: string | null
  readonly text: Template
  readonly html: Template
  /** Before the subject. */
  readonly subjectPrefix?: string
  /** What identifies the list and the newsletter; null: a test, which is of no list. */
  readonly list: { readonly audienceId: string; readonly newsletterId: string; readonly domain: string } | null
}

export function makeTemplate(parts: TemplateParts): MessageTemplate {
  const { fromAddress, fromName, replyTo, subject, subjectPrefix = '', text, html, list, baseUrl, archiveUrl } = parts
  const boundary = `=_${randomUUID()}`
  const headers: HeaderSpec[] = [
    { name: 'From', form: 'Addresses', value: [{ name: fromName, email: fromAddress }] },
    ...(replyTo === null
      ? []
      : [{ name: 'Reply-To', form: 'Addresses', value: [{ name: null, email: replyTo }] } as const]),
    ...(list === null ? [] : listFields(list)),
    // What vacation responders and mailing lists look at (RFC 3834 2).
    { name: 'Precedence', form: 'Raw', value: ' bulk' },
    { name: 'MIME-Version', form: 'Raw', value: ' 1.0' },
    { name: 'Content-Type', form: 'Raw', value: ` multipart/alternative;\r\n boundary="${boundary}"` },
  ]
  return {
    fromAddress,
    header: headers.map(written).join(''),
    subject: subjectPrefix === '' ? subject : [subjectPrefix, ...subject],
    boundary,
    text: encoded(text),
    html: encoded(html),
    baseUrl,
    archiveUrl,
  }
}

function listFields({ audienceId, newsletterId, domain }: NonNullable<TemplateParts['list']>): HeaderSpec[] {
  return [
    // RFC 2919 2: a name under a domain of the sender.
    { name: 'List-Id', form: 'Raw', value: ` <${audienceId}.${domain}>` },
    // Complaints at Gmail are counted by each of these and by the sender.
    { name: 'Feedback-ID', form: 'Raw', value: ` ${newsletterId}:${audienceId}:newsletter:posthouse` },
  ]
}

function encoded(template: Template): EncodedTemplate {
  return template.map((part) => (typeof part === 'string' ? quotedPrintable(part) : part))
}

function written(spec: HeaderSpec): string {
  const field = encodeHeader(spec)
  if (typeof field !== 'string') throw new TypeError(`${spec.name}: ${field.fault}`)
  return field
}

export interface Copy {
  readonly to: string
  readonly toName: string | null
  /** Without angle brackets. The same for every attempt, so that a repeated message is recognised. */
  readonly messageId: string
  /** Epoch ms. */
  readonly date: number
  readonly values: MergeValues
  /** For one-click; null: a test. */
  readonly unsubscribeUrl: string | null
}

/** The message of one recipient. Its lines end with CRLF; it is ASCII except for an address that is not. */
export function writeCopy(template: MessageTemplate, copy: Copy): Buffer {
  const { boundary } = template
  const { to, toName, messageId, date, values, unsubscribeUrl } = copy
  const own: HeaderSpec[] = [
    { name: 'To', form: 'Addresses', value: [{ name: toName, email: to }] },
    { name: 'Subject', form: 'Text', value: fill(template.subject, values) },
    { name: 'Date', form: 'Date', value: formatUTCDate(date) },
    { name: 'Message-ID', form: 'MessageIds', value: [messageId] },
    ...(unsubscribeUrl === null
      ? []
      : [
          { name: 'List-Unsubscribe', form: 'Raw', value: ` <${unsubscribeUrl}>` } as const,
          // RFC 8058 3.1: exactly this value.
          { name: 'List-Unsubscribe-Post', form: 'Raw', value: ' List-Unsubscribe=One-Click' } as const,
        ]),
  ]
  const part = (type: string, body: string) =>
    `--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${body}\r\n`
  const message = [
    own.map(written).join(''),
    template.header,
    '\r\n',
    part('text/plain', filled(template.text, values)),
    part('text/html', filled(template.html, values)),
    `--${boundary}--\r\n`,
  ].join('')
  // With memory of its own, which is given to the thread that sends it, and freed when it was sent.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(message))
  bytes.write(message)
  return bytes
}

/** Pieces are encoded apart, so each begins on a line of its own. */
function filled(template: EncodedTemplate, values: MergeValues): string {
  const pieces = template.map((part) => (typeof part === 'string' ? part : quotedPrintable(fillHole(part, values))))
  return pieces.filter((piece) => piece !== '').join(SOFT_LINE_BREAK)
}
