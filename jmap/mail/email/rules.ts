/** Rules of Email: RFC 8621 4. Only keywords and mailboxIds change after creation. */

import { MAX_KEYWORDS_PER_EMAIL } from '../../../server/base/limits.ts'
import { selectEmails } from '../../../storage/repos/email-query.ts'
import { emailsOfContent, findEmail } from '../../../storage/repos/emails.ts'
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import { isIndexPending } from '../../../storage/repos/unindexed.ts'
import type { MethodContext } from '../../context.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { formatUTCDate, parseUTCDate } from '../../protocol/primitives.ts'
import type { CreateOutcome, Rules, WriteContext } from '../../type/rules.ts'
import { readStored, recordBlob } from '../blobs.ts'
import { emailFromMessage, type PreparedEmail, storeEmail } from '../ingest.ts'
import { isKeyword, normaliseKeywords, parseKeywords } from '../keywords.ts'
import { hasRoomFor } from '../quota.ts'
import { noteSpamMark } from '../spam/marks.ts'
import { withNewBlobIds } from './changed-blobs.ts'
import { asksIndex, isImmutableQuery } from './conditions.ts'
import { prepareEmail } from './create.ts'
import { withLowerCaseKeywords } from './keyword-patches.ts'
import { acceptsHeaderProperty, checkGetArguments, loadEmails, parseMailboxes } from './load.ts'
import { destroyEmail, moveEmail } from './move.ts'
import { queryEmails } from './query.ts'

export const emailRules: Rules = {
  acceptsProperty: acceptsHeaderProperty,
  checkGet: (args) => checkGetArguments(args),
  load: loadEmails,
  query: queryEmails,
  beforeQuery: async (method, filter) => {
    if (!asksIndex(filter) || !(await method.read((reader) => isIndexPending(reader, method.account.number)))) return
    await method.services.drainIndex(method.account.number)
    await method.request.reads.end()
  },
  isImmutableQuery,
  canonical: withLowerCaseKeywords,
  prepareCreate: prepareEmail,
  prepareCopy: prepareEmailCopy,
  // RFC 8621 4.7
  copySets: ['mailboxIds', 'keywords', 'receivedAt'],
  updateReads: ['mailboxIds', 'keywords'],

  async all({ method, reader }, limit) {
    const query = { account: method.account.number, where: null, sort: [] }
    return (await selectEmails(reader, query, 0, limit)).map(({ id }) => id)
  },

  async create(write, input, prepared) {
    const message = prepared as PreparedEmail | CopiedMessage
    const existing = 'isCopy' in message ? await copyThere(write, input, message) : null
    if (existing) return existing
    const outcome = await createEmail(write, input, message, sourceOf(write.method))
    if ('error' in outcome) return outcome
    const { number, serverSet } = outcome.created
    return { created: { number, serverSet: { ...serverSet, ...(await withNewBlobIds(write, number, input)) } } }
  },

  async update(write, number, { next, changed }) {
    const error = changed.length > 0 ? await placeFault(write, next) : null
    if (error) return { error }
    const row = await findEmail(write.reader, write.unit.account, number)
    if (!row) return { error: setError('notFound') }
    const keywords = normaliseKeywords(Object.keys(next['keywords'] as JsonObject))
    const mailboxes = mailboxNumbers(write.method, next)
    const before = { mailboxes: parseMailboxes(row.mailboxes), keywords: parseKeywords(row.keywords) }
    await noteSpamMark(write.unit, row, before, { mailboxes, keywords })
    return moveEmail(write.unit, row, mailboxes, keywords)
  },

  async destroy(write, number) {
    return destroyEmail(write.method.services, write.unit, number)
  },

  async afterSet({ services }, { updated }) {
    if (updated.size > 0) services.learnFromMarks()
  },
}

interface CopiedMessage extends PreparedEmail {
  readonly isCopy: true
}

/** RFC 8621 4.7: the copy is the same message; mailboxes are the client's to name, keywords and receivedAt may be. */
async function prepareEmailCopy(from: MethodContext, method: MethodContext, number: number) {
  const { store } = method.services
  const found = await from.read(async (reader) => {
    const row = await findEmail(reader, from.account.number, number)
    return row && { row, bytes: await readStored(store, reader, from.account.number, row.blob) }
  })
  if (!found?.bytes) return null
  const { row, bytes } = found
  const input = { keywords: JSON.parse(row.keywords) as JsonObject, receivedAt: formatUTCDate(row.received_at) }
  const prepared: CopiedMessage = { ...(await emailFromMessage(store, bytes)), isCopy: true }
  return { input, prepared }
}

/** RFC 8621 4.7: a mailbox holds a copied message once, so that a copy that is sent again makes no second one. */
async function copyThere(
  { method, unit }: WriteContext,
  input: JsonObject,
  { blob }: CopiedMessage,
): Promise<CreateOutcome | null> {
  const wanted = new Set(Object.keys(input['mailboxIds'] as JsonObject).map((id) => method.number('Mailbox', id)))
  const same = await emailsOfContent(unit, unit.account, blob.hash)
  const existing = same.find(({ mailboxes }) => parseMailboxes(mailboxes).some((mailbox) => wanted.has(mailbox)))
  return existing
    ? { error: alreadyExists(method.id('Email', existing.id), 'A mailbox has this message already.') }
    : null
}

/** How an email came to be, when a client made it: told as `source` (decision D13). */
export function sourceOf(method: MethodContext): string {
  return method.request.principal.kind === 'apiKey' ? 'api' : 'jmap'
}

/** Stores a message that a client made or imported. `input` has mailboxIds, keywords and receivedAt. */
export async function createEmail(
  write: WriteContext,
  input: JsonObject,
  message: PreparedEmail,
  source: string,
): Promise<CreateOutcome> {
  const { method, unit, work } = write
  const error = await placeFault(write, input)
  if (error) return { error }
  if (!hasRoomFor(method.services, unit, message.parsed.structure.size)) return { error: setError('overQuota') }
  await recordBlob(work, message.blob)
  const receivedAt = input['receivedAt']
  const stored = await storeEmail(method.services, unit, message, {
    mailboxes: mailboxNumbers(method, input),
    keywords: Object.keys((input['keywords'] ?? {}) as JsonObject),
    receivedAt: typeof receivedAt === 'string' ? parseUTCDate(receivedAt)! : unit.now,
    source,
  })
  // RFC 8621 4.6: what the client cannot know yet.
  const serverSet = {
    blobId: method.id('Blob', stored.blob),
    threadId: method.id('Thread', stored.thread),
    size: stored.size,
  }
  return { created: { number: stored.id, serverSet } }
}

function mailboxNumbers(method: MethodContext, object: JsonObject): number[] {
  return Object.keys(object['mailboxIds'] as JsonObject).map((id) => method.number('Mailbox', id)!)
}

/** RFC 8621 4.1.1, 4.6: at least one mailbox, all of them of this account; keywords of allowed characters, not too many. */
async function placeFault(write: WriteContext, object: JsonObject): Promise<SetError | null> {
  const { method, unit } = write
  const ids = Object.keys(object['mailboxIds'] as JsonObject)
  const existing = new Set((await listMailboxes(unit, unit.account)).map((row) => row.id))
  const isKnown = (id: string) => existing.has(method.number('Mailbox', id) ?? -1)
  if (ids.length === 0 || !ids.every(isKnown))
    return invalidProperties(['mailboxIds'], 'An email is in at least one mailbox of its account.')
  if (ids.length > method.services.limits.maxMailboxesPerEmail) return setError('tooManyMailboxes')
  const keywords = Object.keys((object['keywords'] ?? {}) as JsonObject)
  if (!keywords.every(isKeyword))
    return invalidProperties(['keywords'], 'A keyword has characters that are not allowed.')
  return keywords.length > MAX_KEYWORDS_PER_EMAIL ? setError('tooManyKeywords') : null
}
