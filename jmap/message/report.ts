/** Reports about a message: delivery status notifications (RFC 3464) and disposition notifications (RFC 8098). Pure, and total. */
import type { Buffer } from 'node:buffer'
import { MIME_MAX_HEADER_BYTES } from '../../server/base/limits.ts'
import { REPORT_MAX_GROUPS } from '../../server/base/outbound-limits.ts'
import { REPORT_PART_BYTES } from '../../server/base/report-limits.ts'
import { asBuffer } from './charset.ts'
import { decodePartStart } from './decode.ts'
import { type HeaderField, readHeaderBlock } from './header-block.ts'
import { parseMessageIds } from './header-forms.ts'
import { fieldText, lastField, readHeaders, unfoldedText } from './headers.ts'
import type { BodyPart, ParsedMessage } from './structure.ts'

export interface DeliveryStatusNotification {
  readonly kind: 'dsn'
  /** RFC 3464 2.2.1 */
  readonly envelopeId: string | null
  /** Possible Message-IDs of the reported message, the most certain first. */
  readonly messageIds: readonly string[]
  readonly recipients: readonly ReportedRecipient[]
}

export interface ReportedRecipient {
  /** Original-Recipient and Final-Recipient, if present. */
  readonly addresses: readonly string[]
  /** RFC 3464 2.3.3, in lower case. */
  readonly action: string
  /** RFC 3463, such as `5.1.1`. */
  readonly status: string | null
  /** The reply of an SMTP server, in one line; null: there was none. */
  readonly smtpReply: string | null
}

export interface DispositionNotification {
  readonly kind: 'mdn'
  readonly messageIds: readonly string[]
  readonly addresses: readonly string[]
  /** RFC 8098 3.2.6.2: the message was displayed. */
  readonly displayed: boolean
}

export type MessageReport = DeliveryStatusNotification | DispositionNotification

/** The content of a report; null: the message is not a report. */
export function readReport(
  input: Uint8Array,
  { structure, inReplyTo, references }: ParsedMessage,
): MessageReport | null {
  const root = structure.parts[0]
  if (root?.type !== 'multipart/report') return null
  const bytes = asBuffer(input)
  const parts = (root.subParts ?? []).flatMap((number) => structure.parts[number - 1] ?? [])
  const ofType = (pattern: RegExp) => parts.find(({ type }) => pattern.test(type))
  const returned = ofType(/^(message\/(rfc822|global|rfc822-headers|global-headers)|text\/rfc822-headers)$/)
  const answers = [...(inReplyTo ?? []), ...(references ?? []).toReversed()]
  const messageIds = [...(returned ? idsIn(decodePartStart(bytes, returned, MIME_MAX_HEADER_BYTES)) : []), ...answers]
  // RFC 6533 4, 5: `global-` ones may be UTF-8.
  const delivery = ofType(/^message\/(global-)?delivery-status$/)
  if (delivery) return deliveryReport(bytes, delivery, messageIds)
  const disposition = ofType(/^message\/(global-)?disposition-notification$/)
  return disposition ? dispositionReport(bytes, disposition, messageIds) : null
}

function deliveryReport(bytes: Buffer, part: BodyPart, messageIds: readonly string[]): DeliveryStatusNotification {
  // RFC 3464 2.1: fields of the message, then those of each recipient, with an empty line before each group.
  const groups = fieldGroups(decodePartStart(bytes, part, REPORT_PART_BYTES))
  const ofRecipients = groups.filter((fields) => fields.has('action'))
  const recipients = ofRecipients.map((fields) => ({
    addresses: addressesIn(fields),
    action: word(fields.get('action')).toLowerCase(),
    status: /^[245]\.\d{1,3}\.\d{1,3}$/.exec(word(fields.get('status')))?.[0] ?? null,
    smtpReply: /^smtp\s*;\s*([2-5]\d\d\b.*)$/is.exec(fields.get('diagnostic-code') ?? '')?.[1] ?? null,
  }))
  const envelopeId = groups[0]?.get('original-envelope-id') || null
  return { kind: 'dsn', envelopeId, messageIds, recipients }
}

function dispositionReport(bytes: Buffer, part: BodyPart, messageIds: readonly string[]): DispositionNotification {
  const [fields = new Map<string, string>()] = fieldGroups(decodePartStart(bytes, part, REPORT_PART_BYTES))
  // RFC 8098 3.2.6: `action-mode/sending-mode; type/modifier`.
  const type = /;\s*([a-z-]+)/i.exec(fields.get('disposition') ?? '')?.[1] ?? ''
  const original = parseMessageIds(fields.get('original-message-id') ?? '') ?? []
  return {
    kind: 'mdn',
    messageIds: [...original, ...messageIds],
    addresses: addressesIn(fields),
    displayed: type.toLowerCase() === 'displayed',
  }
}

/** Groups of fields by their names in lower case, unfolded; of equal names the first counts. */
function fieldGroups(content: Buffer): ReadonlyMap<string, string>[] {
  const groups: ReadonlyMap<string, string>[] = []
  let position = 0
  while (position < content.length && groups.length < REPORT_MAX_GROUPS) {
    const block = readHeaderBlock(content, position, content.length)
    // Text that is neither a field nor an empty line is skipped with its line.
    const next = block.bodyStart > position ? block.bodyStart : content.indexOf('\n', position) + 1
    if (block.fields.length > 0) groups.push(byName(content, block.fields))
    if (next <= position) break
    position = next
  }
  return groups
}

function byName(content: Buffer, fields: readonly HeaderField[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const field of fields) {
    const name = field.name.toLowerCase()
    if (!values.has(name)) values.set(name, unfoldedText(content, field))
  }
  return values
}

function addressesIn(fields: ReadonlyMap<string, string>): string[] {
  return ['original-recipient', 'final-recipient'].flatMap((name) => {
    const [, type, text] = /^([^;]*);\s*(.*)$/s.exec(fields.get(name) ?? '') ?? []
    if (text === undefined) return []
    const address = text.trim().replace(/^<(.*)>$/, '$1')
    return [type!.trim().toLowerCase() === 'utf-8' ? decodeUtf8Address(address) : address]
  })
}

/** RFC 6533 3: decodes `\x{F6}`, which stands for a character beyond ASCII. */
function decodeUtf8Address(text: string): string {
  return text.replace(/\\x\{([0-9a-f]{2,6})\}/gi, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function word(text: string | undefined): string {
  return /^[^\s;(]+/.exec(text ?? '')?.[0] ?? ''
}

function idsIn(header: Buffer): string[] {
  const field = lastField(readHeaders(header), 'Message-ID')
  return field ? (parseMessageIds(fieldText(header, field)) ?? []) : []
}
