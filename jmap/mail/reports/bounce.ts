/**
 * Bounces: delivery status notifications (RFC 3464), and the notices of the many servers with other formats. Finds which recipients a
 * message was not delivered to, and why. Pure, and total.
 */
import { REPORT_RECIPIENTS_MAX } from '../../../server/base/report-limits.ts'
import { parseAddresses } from '../../message/addresses.ts'
import { type ParsedMessage, parseMessage } from '../../message/structure.ts'
import { headerOf, isDelay, looksLikeBounce } from './bounce-signs.ts'
import { messageIdsOf } from './message-ids.ts'
import { type NamedRecipient, namedRecipients } from './notice-recipients.ts'
import { type ProviderNotice, readProviderNotice } from './provider-notice.ts'
import { type BouncedRecipient, describe, NoticeWords, toAction } from './recipient.ts'
import { recipientOfReturned } from './returned-recipient.ts'
import { BOUNCE_RULES, type BounceRules } from './rules/all.ts'
import { type ReportSections, readSections, textOf } from './sections.ts'
import { type Fields, fieldGroups, statusIn, typedAddress } from './status-groups.ts'

export type { BouncedRecipient } from './recipient.ts'

export interface Bounce {
  readonly kind: 'bounce'
  /** RFC 3464 2.2.1 */
  readonly envelopeId: string | null
  /** Possible Message-IDs of the message, the most certain first. */
  readonly messageIds: readonly string[]
  readonly recipients: readonly BouncedRecipient[]
}

/** null: the message is not a bounce, or it names no recipient. */
export function readBounce(bytes: Uint8Array, parsed: ParsedMessage, rules: BounceRules = BOUNCE_RULES): Bounce | null {
  const sections = readSections(bytes, parsed)
  const provided = readProviderNotice(sections.notice)
  if (provided && provided.kind !== 'complained') return fromProvider(provided, rules)
  const groups = sections.status === null ? [] : fieldGroups(sections.status)
  const looks = looksLikeBounce(bytes, parsed, sections, rules)
  if (!looks && groups.length === 0) return null
  const returned = readReturned(sections.returned)
  const words = new NoticeWords(sections.notice, rules)
  const stated = groups.flatMap((fields) => statedRecipient(fields, words, returned))
  // RFC 8098: a read receipt is not a bounce, whatever its subject.
  if (stated.length === 0 && isReceipt(bytes, parsed)) return null
  const recipients =
    stated.length > 0 ? stated : looks ? recipientsInWords(bytes, parsed, sections, { returned, words }) : []
  if (recipients.length === 0) return null
  return {
    kind: 'bounce',
    envelopeId: groups[0]?.get('original-envelope-id') || null,
    messageIds: messageIdsOf(parsed, returned?.parsed ?? null),
    recipients: recipients.slice(0, REPORT_RECIPIENTS_MAX),
  }
}

function isReceipt(bytes: Uint8Array, { structure }: ParsedMessage): boolean {
  if (structure.parts[0]?.type !== 'multipart/report') return false
  const part = structure.parts.find(({ type }) => type === 'message/disposition-notification')
  // RFC 5429 2.2: scripts refuse mail in this form.
  return part !== undefined && !/^Disposition:\s*automatic-action\/[^;]*;\s*deleted/im.test(textOf(bytes, part))
}

function fromProvider({ messageId, recipients }: ProviderNotice, rules: BounceRules): Bounce | null {
  if (recipients.length === 0) return null
  const words = new NoticeWords([], rules)
  return {
    kind: 'bounce',
    envelopeId: null,
    messageIds: messageId === null ? [] : [messageId],
    recipients: recipients.map(({ address, action, status, diagnosis }) =>
      describe({ addresses: [address], isNamed: true, action: toAction(action, status), status, diagnosis }, words),
    ),
  }
}

const STATED = ['action', 'status', 'diagnostic-code']

function statedRecipient(fields: Fields, words: NoticeWords, returned: Returned | null): BouncedRecipient[] {
  const named = ['original-recipient', 'final-recipient', 'x-actual-recipient'].map((name) =>
    typedAddress(fields.get(name)),
  )
  const found = [...new Set(named.filter((address) => address !== null))]
  // RFC 3464 2.3.2: the final recipient may be no mail address, such as a command.
  const isNamed = found.length > 0
  const meant = isNamed || !fields.has('final-recipient') ? null : (returned?.recipient ?? null)
  const addresses = meant === null ? found : [meant]
  // RFC 3464 2.3: without any of these fields the group is not about a delivery.
  if (addresses.length === 0 || !STATED.some((name) => fields.has(name))) return []
  const status = statusIn(fields.get('status') ?? '')
  const action = toAction(fields.get('action') ?? '', status)
  // RFC 3464 2.3.6: the type of the code precedes it.
  const code = fields.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? ''
  const about = /[a-z]{3}/i.test(code) ? '' : words.about(addresses)
  // RFC 3464 2.3.4: the meaning of the code may stand behind it in parentheses.
  const comment = code === '' && about === '' ? (/\((.*)\)/s.exec(fields.get('status') ?? '')?.[1] ?? '') : ''
  const diagnosis = `${code} ${about}${comment}`
  return [describe({ addresses, isNamed, action, status, diagnosis }, words)]
}

interface Returned {
  readonly parsed: ParsedMessage
  readonly recipient: string | null
}

function readReturned(text: string | null): Returned | null {
  if (text === null) return null
  const bytes = Buffer.from(text)
  const parsed = parseMessage(bytes)
  return { parsed, recipient: recipientOfReturned(bytes, parsed) }
}

interface Known {
  readonly returned: Returned | null
  readonly words: NoticeWords
}

function recipientsInWords(
  bytes: Uint8Array,
  parsed: ParsedMessage,
  { notice }: ReportSections,
  { returned, words }: Known,
): BouncedRecipient[] {
  const sentTo = addressSet([returned?.parsed.to, returned?.parsed.cc])
  const failed = parseAddresses(headerOf(bytes, parsed, 'x-failed-recipients') ?? '').map(({ email }) => email)
  const inWords = namedInWords(parsed, notice, { returned, words }, sentTo)
  const named = failed.length > 0 ? failed.map((address) => withDiagnosis(address, inWords)) : inWords
  const action = isDelay(`${parsed.subject ?? ''} ${words.text}`, words.rules) ? 'delayed' : 'failed'
  const status = statusIn(words.text)
  if (named.length > 0)
    return named.map(({ address, sentTo: meant, diagnosis }) => {
      const addresses = meant ? [meant, address] : [address]
      return describe({ addresses, isNamed: true, action, status: statusIn(diagnosis) ?? status, diagnosis }, words)
    })
  // The notice names no recipient, but the message does.
  if (!returned || returned.recipient === null) return []
  return [describe({ addresses: [returned.recipient], isNamed: false, action, status, diagnosis: '' }, words)]
}

function namedInWords(
  parsed: ParsedMessage,
  notice: readonly string[],
  { returned, words }: Known,
  sentTo: ReadonlySet<string>,
): NamedRecipient[] {
  const own = addressSet([parsed.from, parsed.to, parsed.sender, returned?.parsed.from, returned?.parsed.sender])
  const foreign = (address: string) => !own.has(address.toLowerCase()) || sentTo.has(address.toLowerCase())
  const others = namedRecipients(notice, foreign, sentTo, words.rules)
  if (others.length > 0) return others
  // The sender may have written to their own address.
  const self = addressSet([parsed.to])
  if (returned?.recipient && !self.has(returned.recipient)) return []
  return namedRecipients(notice, (address) => self.has(address.toLowerCase()), sentTo, words.rules)
}

function withDiagnosis(address: string, inWords: readonly NamedRecipient[]): NamedRecipient {
  const known = inWords.find((one) => one.address.toLowerCase() === address.toLowerCase())
  return known ?? { address, sentTo: null, diagnosis: '' }
}

function addressSet(lists: readonly (ParsedMessage['from'] | undefined)[]): Set<string> {
  return new Set(lists.flatMap((list) => (list ?? []).map(({ email }) => email.toLowerCase())))
}
