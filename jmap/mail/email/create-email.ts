/** Stores messages that clients create or import as emails: Email/set, Email/copy, Email/import and Email/send. */
import { MAX_KEYWORDS_PER_EMAIL } from '../../../server/base/limits.ts'
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import { isKeyword } from '../../message/keywords.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import { epochOf } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf, PatchedOf } from '../../type/derived.ts'
import type { CreateOutcome, WriteContext } from '../../type/handlers.ts'
import { BLOB_ID, recordBlob } from '../blob/blobs.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import { hasRoomFor } from '../quota/octets.ts'
import { Thread } from '../thread/thread.type.ts'
import type { Email } from './email.type.ts'
import { type PreparedEmail, storeEmail } from './store-email.ts'

/** The mailboxes, keywords and time of an email. */
export type EmailPlace = Pick<PatchedOf<typeof Email>, 'mailboxIds' | 'keywords'>

/** How a client created an email: its property `source` (decision D13). */
export function sourceOf(method: MethodContext): string {
  return method.request.principal.kind === 'apiKey' ? 'api' : 'jmap'
}

/** RFC 8621 4.6: properties that the client does not know. */
type SetByServer = Pick<ObjectOf<typeof Email>, 'blobId' | 'threadId' | 'size'>

/** @param place without `receivedAt`: now */
export async function createEmail(
  write: Pick<WriteContext, 'method' | 'unit' | 'work'>,
  place: EmailPlace & { readonly receivedAt?: string | null },
  message: PreparedEmail,
  source: string,
): Promise<CreateOutcome<SetByServer>> {
  const { method, unit, work } = write
  const error = await placeFault(write, place)
  if (error) return { error }
  if (!hasRoomFor(method.services, unit, message.parsed.structure.size)) return { error: setError('overQuota') }
  await recordBlob(work, message.blob)
  const { keywords, receivedAt } = place
  const stored = await storeEmail(method.services, unit, message, {
    mailboxes: mailboxNumbers(method, place),
    keywords: Object.keys(keywords),
    receivedAt: typeof receivedAt === 'string' ? epochOf(receivedAt) : unit.now,
    source,
  })
  const serverSet = {
    blobId: method.id(BLOB_ID, stored.blob),
    threadId: method.id(Thread, stored.thread),
    size: stored.size,
  }
  return { created: { number: stored.id, serverSet } }
}

export function mailboxNumbers(method: MethodContext, { mailboxIds }: Pick<EmailPlace, 'mailboxIds'>): number[] {
  return Object.keys(mailboxIds).map((id) => method.number(Mailbox, id)!)
}

/** RFC 8621 4.1.1, 4.6: at least one mailbox, all of them of this account; keywords of allowed characters, within the limit. */
export async function placeFault(
  { method, unit }: Pick<WriteContext, 'method' | 'unit'>,
  { mailboxIds, keywords }: EmailPlace,
): Promise<SetError | null> {
  const ids = Object.keys(mailboxIds)
  const existing = new Set((await listMailboxes(unit, unit.account)).map((row) => row.id))
  const isKnown = (id: string) => existing.has(method.number(Mailbox, id) ?? -1)
  if (ids.length === 0 || !ids.every(isKnown))
    return invalidProperties(['mailboxIds'], 'An email is in at least one mailbox of its account.')
  if (ids.length > method.services.limits.maxMailboxesPerEmail) return setError('tooManyMailboxes')
  const names = Object.keys(keywords)
  if (!names.every(isKeyword)) return invalidProperties(['keywords'], 'A keyword has characters that are not allowed.')
  return names.length > MAX_KEYWORDS_PER_EMAIL ? setError('tooManyKeywords') : null
}
