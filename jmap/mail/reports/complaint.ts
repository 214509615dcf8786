/** Complaints about mail: feedback reports (RFC 5965), and other formats of providers. Pure, and total. */
import { REPORT_RECIPIENTS_MAX } from '../../../server/base/report-limits.ts'
import { parseAddresses } from '../../message/addresses.ts'
import { firstField, unfoldedText } from '../../message/headers.ts'
import { type ParsedMessage, parseMessage } from '../../message/structure.ts'
import { messageIdsOf } from './message-ids.ts'
import { type ProviderNotice, readProviderNotice } from './provider-notice.ts'
import { readSections } from './sections.ts'
import { fieldGroups } from './status-groups.ts'

export interface Complaint {
  readonly kind: 'complaint'
  /** RFC 5965 7.3, in lower case: `abuse`, `fraud`, `auth-failure` ... */
  readonly feedbackType: string
  readonly envelopeId: string | null
  /** Possible Message-IDs of the message, the most certain first. */
  readonly messageIds: readonly string[]
  /** Reverse-paths of the message, according to the report. */
  readonly returnPaths: readonly string[]
  /** The complaining recipients, if the report names them; many providers do not. */
  readonly addresses: readonly string[]
}

/** null: the message is not a feedback report. */
export function readComplaint(bytes: Uint8Array, parsed: ParsedMessage): Complaint | null {
  const { feedback, returned, notice } = readSections(bytes, parsed)
  const provided = readProviderNotice(notice)
  if (provided?.kind === 'complained') return fromProvider(provided)
  const original = returned === null ? null : Buffer.from(returned)
  const message = original && parseMessage(original)
  // Hotmail returns only the message, with this field at the top.
  const hotmail = message && fieldOf(original, message, 'x-hmxmroriginalrecipient')
  if (feedback === null && !hotmail) return null
  const fields = feedback === null ? new Map<string, string>() : (fieldGroups(feedback)[0] ?? new Map<string, string>())
  const named = [...valuesOf(feedback ?? '', ['original-rcpt-to', 'removal-recipient']), hotmail ?? '']
  const found = named.flatMap((text) => parseAddresses(text).map(({ email }) => email))
  const sentTo = (message?.to ?? []).map(({ email }) => email)
  const addresses = (found.length > 0 ? found : sentTo).filter((address) => /^[^@\s]+@[^@\s]+$/.test(address))
  const paths = [fields.get('original-mail-from'), message && fieldOf(original, message, 'return-path')]
  return {
    kind: 'complaint',
    feedbackType: (fields.get('feedback-type') ?? 'abuse').toLowerCase().trim(),
    envelopeId: fields.get('original-envelope-id') || null,
    messageIds: messageIdsOf(parsed, message),
    returnPaths: paths.flatMap((path) => /^\s*<?([^<>\s]+@[^<>\s]+?)>?\s*$/.exec(path ?? '')?.[1] ?? []),
    addresses: addresses.slice(0, REPORT_RECIPIENTS_MAX),
  }
}

/** The message, or its header, that a report returns; null: none. Its line ends are LF. */
export function returnedMessage(bytes: Uint8Array, parsed: ParsedMessage): Buffer | null {
  const { returned } = readSections(bytes, parsed)
  return returned === null ? null : Buffer.from(returned)
}

function fromProvider({ messageId, recipients }: ProviderNotice): Complaint {
  return {
    kind: 'complaint',
    feedbackType: 'abuse',
    envelopeId: null,
    messageIds: messageId === null ? [] : [messageId],
    returnPaths: [],
    addresses: recipients.map(({ address }) => address),
  }
}

/** RFC 5965 7.3, RFC 6591 3.2.1, RFC 6430: other types are not complaints about the sender. */
export function isAgainstSender({ feedbackType }: Complaint): boolean {
  return !['auth-failure', 'not-spam', 'dmarc'].includes(feedbackType)
}

/** RFC 5965 3.2: some fields may occur more than once. */
function valuesOf(text: string, names: readonly string[]): string[] {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':')
    return colon > 0 && names.includes(line.slice(0, colon).trim().toLowerCase()) ? [line.slice(colon + 1)] : []
  })
}

function fieldOf(bytes: Uint8Array, { headers }: ParsedMessage, name: string): string | null {
  const field = firstField(headers, name)
  return field && unfoldedText(bytes, field)
}
