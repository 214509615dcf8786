/**
 * The one way in: delivery, Email/set, Email/import, submission and imports all store a message here. Parsing, hashing and writing
 * of large blobs come first, outside the transaction; the rows of one email go in inside it.
 */
import type { AccountUnit, Store } from '../../storage/ports.ts'
import { addKeyword, addToMailbox } from '../../storage/repos/email-side-tables.ts'
import { insertEmail } from '../../storage/repos/emails.ts'
import { markUnindexed } from '../../storage/repos/unindexed.ts'
import { fold } from '../../storage/search/tokens.ts'
import type { SearchDocument } from '../../storage/search/words.ts'
import type { Services } from '../context.ts'
import { type PreparedBlob, prepareBlob, referTo } from './blobs.ts'
import { countChange } from './counts.ts'
import { Email } from './email/email.type.ts'
import { packProperties } from './email/packed.ts'
import { isUnread, keywordsText, normaliseKeywords } from './keywords.ts'
import type { EmailAddress } from './message/addresses.ts'
import { baseSubject } from './message/base-subject.ts'
import { packStructure } from './message/pack.ts'
import { type ParsedMessage, parseMessage } from './message/structure.ts'
import { countOctets } from './quota.ts'
import { searchDocument } from './search/document.ts'
import { keepPending } from './search/pending-emails.ts'
import { assignThread, threadRefs } from './threading.ts'

/** A message made ready outside the transaction; the same for every account it goes to. */
export interface PreparedMessage {
  readonly blob: PreparedBlob
  readonly parsed: ParsedMessage
  readonly packed: string
  readonly structure: string
  readonly refs: readonly string[]
  readonly sort: { readonly from: string; readonly to: string; readonly subject: string }
  readonly document: SearchDocument
}

export async function prepareMessage(store: Store, bytes: Uint8Array): Promise<PreparedMessage> {
  const parsed = parseMessage(bytes)
  return {
    blob: await prepareBlob(store, bytes),
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

export interface EmailPlace {
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

/** Inside: the rows of one email. The blob's content must have been recorded in the same unit of work (recordBlob). */
export async function storeMessage(
  services: Services,
  unit: AccountUnit,
  message: PreparedMessage,
  place: EmailPlace,
): Promise<StoredEmail> {
  const { parsed } = message
  const blob = await referTo(unit, message.blob, 'message/rfc822', null)
  const { thread, isNew } = await assignThread(unit, message.refs)
  const id = unit.nextObject()
  const keywords = normaliseKeywords(place.keywords)
  const mailboxes = [...new Set(place.mailboxes)].sort((a, b) => a - b)
  const { size } = parsed.structure
  await insertEmail(unit, {
    account: unit.account,
    id,
    thread,
    blob,
    size,
    received_at: place.receivedAt,
    sent_at: parsed.sentAt?.ms ?? null,
    has_attachment: Number(parsed.structure.hasAttachment),
    unread: Number(isUnread(keywords)),
    keywords: keywordsText(keywords),
    mailboxes: mailboxes.join(','),
    from_sort: message.sort.from,
    to_sort: message.sort.to,
    subject_sort: message.sort.subject,
    packed: message.packed,
    structure: message.structure,
    source: place.source,
    created_at: unit.now,
  })
  const own = { id, received_at: place.receivedAt }
  await markUnindexed(unit, id, blob)
  for (const mailbox of mailboxes) await addToMailbox(unit, mailbox, own)
  for (const keyword of keywords) await addKeyword(unit, keyword, own)
  await countChange(unit, {
    id,
    thread,
    receivedAt: place.receivedAt,
    isNewThread: isNew,
    before: null,
    after: { mailboxes, unread: isUnread(keywords) },
  })
  countOctets(services, unit, size)
  unit.change(Email.name, id, 'c')
  // RFC 8621 1.5: its state changes with each new email, and with nothing else.
  for (const name of Email.pushNames) unit.advanceState(name)
  const { account } = unit
  keepPending(services, { account, email: id, blob, thread, received_at: place.receivedAt, document: message.document })
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
