/** Handlers of Email: RFC 8621 4. Only keywords and mailboxIds change after creation. */
import { selectEmails } from '../../../storage/repos/email-query.ts'
import { emailsOfContent, findEmail } from '../../../storage/repos/emails.ts'
import { normaliseKeywords, parseKeywords } from '../../message/keywords.ts'
import { alreadyExists, setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { CreateOutcome, Handlers, WriteContext } from '../../type/handlers.ts'
import { readStored } from '../blob/blobs.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import { withNewBlobIds } from './changed-blobs.ts'
import { isImmutableQuery } from './conditions.ts'
import { prepareEmail } from './create.ts'
import { createEmail, type EmailPlace, mailboxNumbers, placeFault, sourceOf } from './create-email.ts'
import { Email } from './email.type.ts'
import { withLowerCaseKeywords } from './keyword-patches.ts'
import { acceptsHeaderProperty, checkGetArguments, loadEmails, parseMailboxes } from './load.ts'
import { destroyEmail, moveEmail } from './move.ts'
import { prepareQuery } from './prepare-query.ts'
import { queryEmails } from './query.ts'
import { noteSpamMark } from './spam-marks.ts'
import { emailFromMessage, type PreparedEmail } from './store-email.ts'
import { weighEmails } from './weight.ts'

export const emailHandlers: Handlers<
  typeof Email,
  PreparedEmail | CopiedMessage,
  undefined,
  'mailboxIds' | 'keywords'
> = {
  acceptsProperty: acceptsHeaderProperty,
  weigh: weighEmails,
  checkGet: checkGetArguments,
  load: loadEmails,
  query: queryEmails,
  beforeQuery: prepareQuery,
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

  async create(write, input, message) {
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
    const keywords = normaliseKeywords(Object.keys(next.keywords))
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

/** RFC 8621 4.7: the copy is the same message. The client must set mailboxIds and may set keywords and receivedAt. */
async function prepareEmailCopy(from: MethodContext, method: MethodContext, number: number) {
  const { store } = method.services
  const found = await from.read(async (reader) => {
    const row = await findEmail(reader, from.account.number, number)
    return row && { row, bytes: await readStored(store, reader, from.account.number, row.blob) }
  })
  if (!found?.bytes) return null
  const { row, bytes } = found
  const input = {
    keywords: Email.properties.keywords.fromText(row.keywords),
    receivedAt: formatUTCDate(row.received_at),
  }
  const prepared: CopiedMessage = { ...(await emailFromMessage(method.services, bytes)), isCopy: true }
  return { input, prepared }
}

/** RFC 8621 4.7: an email that the account already has is not copied again, so that a repeated copy makes no duplicate. */
async function copyThere(
  { method, unit }: WriteContext<typeof Email>,
  { mailboxIds }: EmailPlace,
  { blob }: CopiedMessage,
): Promise<CreateOutcome | null> {
  const wanted = new Set(Object.keys(mailboxIds).map((id) => method.number(Mailbox, id)))
  const same = await emailsOfContent(unit, unit.account, blob.hash)
  const existing = same.find(({ mailboxes }) => parseMailboxes(mailboxes).some((mailbox) => wanted.has(mailbox)))
  return existing
    ? { error: alreadyExists(method.id(Email, existing.id), 'A mailbox has this message already.') }
    : null
}
