/**
 * Stores an email: the only way for delivery, Email/set, Email/import, submission and imports. Parsing, hashing and writing of large
 * blobs come first, outside of the unit of work; the rows of the email are written inside.
 */
import { freeWhole } from '../../../server/base/free-memory.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { addKeyword, addToMailbox } from '../../../storage/repos/email-side-tables.ts'
import { insertEmail } from '../../../storage/repos/emails.ts'
import { markUnindexed } from '../../../storage/repos/unindexed.ts'
import { fold } from '../../../storage/search/tokens.ts'
import type { SearchDocument } from '../../../storage/search/words.ts'
import type { EmailAddress } from '../../message/addresses.ts'
import { baseSubject } from '../../message/base-subject.ts'
import { isUnread, keywordsText, normaliseKeywords } from '../../message/keywords.ts'
import { packStructure } from '../../message/pack.ts'
import type { ParsedMessage } from '../../message/structure.ts'
import type { Services } from '../../type/context.ts'
import { type PreparedBlob, prepareBlob, referTo } from '../blob/blobs.ts'
import { countChange } from '../mailbox/counts.ts'
import { countOctets } from '../quota/octets.ts'
import { searchDocument } from '../search/document.ts'
import { keepPending } from '../search/pending-emails.ts'
import { assignThread, threadRefs } from '../thread/threading.ts'
import { Email } from './email.type.ts'
import { packProperties } from './packed.ts'

/** A message that is ready to be stored; the same for every account. */
export interface PreparedEmail {
  readonly blob: PreparedBlob
  readonly parsed: ParsedMessage
  readonly packed: string
  readonly structure: string
  readonly refs: readonly string[]
  readonly sort: { readonly from: string; readonly to: string; readonly subject: string }
  readonly document: SearchDocument
}

type Needs = Pick<Services, 'store' | 'messageWork'>

/**
 * @param given octets that nobody reads afterwards: large ones are freed
 * @throws Failure of storage, or of a thread that has ended with them
 */
export async function emailFromMessage(services: Needs, given: Uint8Array): Promise<PreparedEmail> {
  const { email, bytes } = await emailWithOctets(services, given)
  freeWhole(bytes)
  return email
}

/**
 * The same with the octets, for who reads on.
 * @param given octets that only the caller has: views of them may be empty afterwards
 */
export async function emailWithOctets(
  { store, messageWork }: Needs,
  given: Uint8Array,
): Promise<{ readonly email: PreparedEmail; readonly bytes: Uint8Array }> {
  const { parsed, message: bytes } = await messageWork.parseLent(given)
  return { email: preparedEmail(parsed, await prepareBlob(store, bytes)), bytes }
}

function preparedEmail(parsed: ParsedMessage, blob: PreparedBlob): PreparedEmail {
  return {
    blob,
    parsed,
    packed: packProperties(parsed),
    structure: JSON.stringify(packStructure(parsed.structure)),
    refs: threadRefs(parsed),
    sort: {
      from: sortName(parsed.from),
      to: sortName(parsed.to),
      // RFC 8621 4.4.2: the base subject, by RFC 5256.
      subject: sortText(baseSubject(parsed.subject ?? '')),
    },
    document: searchDocument(parsed),
  }
}

/** RFC 8621 4.1.1 */
export interface EmailMetadata {
  readonly mailboxes: readonly number[]
  readonly keywords: readonly string[]
  /** Epoch ms. */
  readonly receivedAt: number
  readonly source: string
}

export interface StoredEmail {
  readonly id: number
  readonly thread: number
  readonly blob: number
  readonly size: number
}

/** Inside a unit of work: writes the rows of one email. The same unit of work must have recorded the blob (recordBlob). */
export async function storeEmail(
  services: Services,
  unit: AccountUnit,
  email: PreparedEmail,
  metadata: EmailMetadata,
): Promise<StoredEmail> {
  const { parsed } = email
  const blob = await referTo(unit, email.blob, 'message/rfc822', null)
  const { thread, isNew } = await assignThread(unit, email.refs)
  const id = unit.nextObject()
  const keywords = normaliseKeywords(metadata.keywords)
  const mailboxes = [...new Set(metadata.mailboxes)].sort((a, b) => a - b)
  const { size } = parsed.structure
  await insertEmail(unit, {
    account: unit.account,
    id,
    thread,
    blob,
    size,
    received_at: metadata.receivedAt,
    sent_at: parsed.sentAt?.ms ?? null,
    has_attachment: Number(parsed.structure.hasAttachment),
    unread: Number(isUnread(keywords)),
    keywords: keywordsText(keywords),
    mailboxes: mailboxes.join(','),
    from_sort: email.sort.from,
    to_sort: email.sort.to,
    subject_sort: email.sort.subject,
    packed: email.packed,
    structure: email.structure,
    source: metadata.source,
    created_at: unit.now,
  })
  const own = { id, received_at: metadata.receivedAt }
  await markUnindexed(unit, id, blob)
  for (const mailbox of mailboxes) await addToMailbox(unit, mailbox, own)
  for (const keyword of keywords) await addKeyword(unit, keyword, own)
  await countChange(unit, {
    id,
    thread,
    receivedAt: metadata.receivedAt,
    isNewThread: isNew,
    before: null,
    after: { mailboxes, unread: isUnread(keywords) },
  })
  countOctets(services, unit, size)
  unit.change(Email.name, id, 'c')
  // RFC 8621 1.5: its state changes with each new email only.
  for (const name of Email.pushNames) unit.advanceState(name)
  const { account } = unit
  keepPending(services, {
    account,
    email: id,
    blob,
    thread,
    received_at: metadata.receivedAt,
    document: email.document,
  })
  return { id, thread, blob, size }
}

/** RFC 8621 4.4.2: the name of the first address, else its address. */
function sortName(addresses: readonly EmailAddress[] | null): string {
  const first = addresses?.[0]
  return sortText(first ? first.name || first.email : '')
}

function sortText(text: string): string {
  return fold(text).slice(0, 100)
}
