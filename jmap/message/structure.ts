/**
 * jmap/message: pure MIME. Octets in, plain data out, and back (generate.ts). This folder owns the rules of RFC 5322, 2045 to 2047,
 * 2231 and RFC 8621 4.1 about the octets of a message, and it alone uses libmime. It must not use storage, clocks, ids or the network,
 * must not throw on any input, and its time and memory are at most a small multiple of the input. This file: `parseMessage`, all that
 * ingest needs from one pass; figures in spec/decisions/0001-mime.md.
 */
import type { Buffer } from 'node:buffer'
import { type EmailAddress, parseAddresses } from './addresses.ts'
import { classifyBodies, hasAttachment } from './bodies.ts'
import { BodyTexts } from './body-text.ts'
import { asBuffer } from './charset.ts'
import { type MailDate, parseDate } from './date.ts'
import type { HeaderField } from './header-block.ts'
import { parseMessageIds, textForm } from './header-forms.ts'
import { fieldText, unfold } from './headers.ts'
import { type Scan, type ScannedPart, scanMessage } from './scan.ts'

/** A body part (RFC 8621 4.1.4). Offsets are octets from the start of the message. */
export interface BodyPart {
  /** Depth-first from 1, the root included; part `n` is `parts[n - 1]`. */
  readonly number: number
  /** The number as a string; null if and only if the type is multipart. */
  readonly partId: string | null
  readonly headerStart: number
  /** After the last header line. */
  readonly headerEnd: number
  readonly bodyStart: number
  readonly bodyEnd: number
  /** Lower-case. */
  readonly type: string
  readonly charset: string | null
  readonly disposition: string | null
  readonly name: string | null
  readonly cid: string | null
  readonly language: readonly string[] | null
  readonly location: string | null
  /** Content-Transfer-Encoding, lower-case; '7bit' when absent. */
  readonly encoding: string
  /** Octets after transfer decoding; for a multipart, octets of its body. */
  readonly size: number
  /** Part numbers; null if and only if the type is not multipart. message/rfc822 is a leaf. */
  readonly subParts: readonly number[] | null
}

/** The stored data with which any part of a message can be read by range. */
export interface MessageStructure {
  /** Octets of the message. */
  readonly size: number
  /** A limit (server/base/limits.ts, MIME) left parts or header fields unlisted; the stored octets are complete. */
  readonly truncated: boolean
  readonly parts: readonly BodyPart[]
  /** Part numbers (RFC 8621 4.1.4). */
  readonly textBody: readonly number[]
  readonly htmlBody: readonly number[]
  readonly attachments: readonly number[]
  readonly hasAttachment: boolean
}

/** The header values that RFC 8621 4.1.3 names as properties, each from the last field of its name; null if absent. */
export interface MessageHeaders {
  readonly messageId: string[] | null
  readonly inReplyTo: string[] | null
  readonly references: string[] | null
  readonly sender: EmailAddress[] | null
  readonly from: EmailAddress[] | null
  readonly to: EmailAddress[] | null
  readonly cc: EmailAddress[] | null
  readonly bcc: EmailAddress[] | null
  readonly replyTo: EmailAddress[] | null
  readonly subject: string | null
  readonly sentAt: MailDate | null
}

/** JSON-serialisable. */
export interface ParsedMessage extends MessageHeaders {
  readonly structure: MessageStructure
  /** All fields of the message's own header, in order. */
  readonly headers: readonly HeaderField[]
  /** RFC 8621 4.1.4: at most PREVIEW_MAX_CHARS characters. */
  readonly preview: string
  /** Text of the bodies, of attached texts and messages, and attachment names, without the header. */
  readonly searchText: string
}

/** Parses a whole message: structure, header values, preview, text for search. Total. */
export function parseMessage(input: Uint8Array): ParsedMessage {
  const bytes = asBuffer(input)
  const scan = scanMessage(bytes, 0, bytes.length)
  const texts = new BodyTexts(bytes, scan.parts)
  const structure = toStructure(bytes, scan, texts)
  return {
    ...messageHeaders(bytes, scan.headers),
    structure,
    headers: scan.headers,
    preview: texts.preview(structure),
    searchText: texts.searchText(structure),
  }
}

/** The structure alone, if the rest is stored. */
export function parseStructure(input: Uint8Array): MessageStructure {
  const bytes = asBuffer(input)
  const scan = scanMessage(bytes, 0, bytes.length)
  return toStructure(bytes, scan, new BodyTexts(bytes, scan.parts))
}

function toStructure(bytes: Buffer, { parts: scanned, truncated }: Scan, texts: BodyTexts): MessageStructure {
  const parts = scanned.map((part, index) => toBodyPart(part, index + 1, texts.size(index + 1)))
  const bodies = classifyBodies(parts)
  return {
    size: bytes.length,
    truncated,
    parts,
    ...bodies,
    hasAttachment: hasAttachment(parts, bodies.attachments, () => texts.html(bodies)),
  }
}

function toBodyPart(part: ScannedPart, number: number, size: number): BodyPart {
  const { boundary: _boundary, ...fields } = part
  return { number, partId: part.subParts === null ? String(number) : null, ...fields, size }
}

interface HeaderValues {
  messageId: string[] | null
  inReplyTo: string[] | null
  references: string[] | null
  sender: EmailAddress[] | null
  from: EmailAddress[] | null
  to: EmailAddress[] | null
  cc: EmailAddress[] | null
  bcc: EmailAddress[] | null
  replyTo: EmailAddress[] | null
  subject: string | null
  sentAt: MailDate | null
}

const PROPERTY_OF_FIELD: ReadonlyMap<string, keyof HeaderValues> = new Map([
  ['message-id', 'messageId'],
  ['in-reply-to', 'inReplyTo'],
  ['references', 'references'],
  ['sender', 'sender'],
  ['from', 'from'],
  ['to', 'to'],
  ['cc', 'cc'],
  ['bcc', 'bcc'],
  ['reply-to', 'replyTo'],
  ['subject', 'subject'],
  ['date', 'sentAt'],
])

/** The header values of a message from its fields (RFC 8621 4.1.3). */
function messageHeaders(bytes: Buffer, fields: readonly HeaderField[]): MessageHeaders {
  const values: HeaderValues = {
    messageId: null,
    inReplyTo: null,
    references: null,
    sender: null,
    from: null,
    to: null,
    cc: null,
    bcc: null,
    replyTo: null,
    subject: null,
    sentAt: null,
  }
  const last = new Map<keyof HeaderValues, HeaderField>()
  for (const field of fields) {
    const property = field.name.length <= 11 ? PROPERTY_OF_FIELD.get(field.name.toLowerCase()) : undefined
    // RFC 8621 4.1.3: the last field of a name counts.
    if (property !== undefined) last.set(property, field)
  }
  for (const [property, field] of last) setValue(values, property, fieldText(bytes, field))
  return values
}

function setValue(values: HeaderValues, property: keyof HeaderValues, text: string): void {
  switch (property) {
    case 'subject':
      values.subject = textForm(text)
      break
    case 'sentAt':
      values.sentAt = parseDate(unfold(text))
      break
    case 'messageId':
    case 'inReplyTo':
    case 'references':
      values[property] = parseMessageIds(text)
      break
    default:
      values[property] = parseAddresses(unfold(text))
  }
}
