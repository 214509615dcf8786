/** Handlers of EmailSubmission: RFC 8621 7. A new submission queues the message; its records are the queue. */

import type { JsonObject } from '../../../server/base/json.ts'
import { type EmailSummary, findEmail } from '../../../storage/repos/emails.ts'
import { selectSubmissions } from '../../../storage/repos/submission-query.ts'
import { recipientsOf } from '../../../storage/repos/submission-recipients.ts'
import { reportsOf } from '../../../storage/repos/submission-reports.ts'
import { cancelSubmission, deleteSubmission, findSubmission } from '../../../storage/repos/submissions.ts'
import type { SubmissionTable } from '../../../storage/schema/tables.ts'
import { returnSends } from '../../policy/plan.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Handlers, ReadContext, WriteContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { findStored } from '../../type/object-store.ts'
import { BLOB_ID } from '../blob/blobs.ts'
import { Email } from '../email/email.type.ts'
import { Identity } from '../identity/identity.type.ts'
import { Thread } from '../thread/thread.type.ts'
import { type Authors, readAuthors } from './authors.ts'
import { deliveryStatus } from './delivery.ts'
import { AddressParameters, EmailSubmission } from './email-submission.type.ts'
import { runImplicitSet } from './on-success.ts'
import { querySubmissions } from './query.ts'
import { queueSubmission } from './sending.ts'
import { tagsFault } from './tags.ts'

type Submission = ObjectOf<typeof EmailSubmission>

export const emailSubmissionHandlers: Handlers<typeof EmailSubmission, Authors | null, undefined> = {
  async all({ method, reader }, limit) {
    return selectSubmissions(reader, { account: method.account.number, where: null, sort: [] }, 0, limit)
  },

  async load(read, { numbers, properties }) {
    const found = new Map<number, JsonObject>()
    for (const number of numbers) {
      const row = await findSubmission(read.reader, read.method.account.number, number)
      if (row) found.set(number, pick(await presentSubmission(read, row), properties))
    }
    return found
  },

  query: querySubmissions,
  // Its limits are counted in the same unit of work.
  accountsOf: async ({ account }, { create, update }) => (create || update ? [account.organization] : []),
  prepareCreate: async (method, input) => ({ prepared: await readAuthors(method, input.emailId) }),

  async create(write, { identityId, emailId, envelope, undoStatus, tags }, authors) {
    const { method, unit } = write
    // RFC 8621 7: the server sets it on create.
    if (undoStatus !== undefined) return { error: invalidProperties(['undoStatus']) }
    const fault = tagsFault(tags)
    if (fault) return { error: fault }
    const email = await emailOf(write, emailId)
    if (!email || !authors) return { error: invalidProperties(['emailId'], 'There is no such email.') }
    const identity = await findStored(unit, unit.account, Identity, method.number(Identity, identityId))
    if (!identity) return { error: invalidProperties(['identityId'], 'There is no such identity.') }
    const queued = await queueSubmission(write, {
      email,
      authors,
      identity: { number: identity.id, email: identity.data.email },
      envelope,
      tags,
      organization: write.work.account(method.account.organization),
    })
    if ('error' in queued) return queued
    const presented = await presentSubmission(write, (await findSubmission(unit, unit.account, queued.number))!)
    const { id: _id, emailId: _emailId, identityId: _identityId, tags: _tags, ...serverSet } = presented
    return { created: { number: queued.number, serverSet } }
  },

  async update({ method, unit, work }, number, { before, next, changed }) {
    if (changed.length === 0) return { updated: null }
    // RFC 8621 7.5: a client may only change pending to canceled.
    if (next.undoStatus !== 'canceled')
      return { error: invalidProperties(['undoStatus'], 'It can only become canceled.') }
    if (before.undoStatus !== 'pending' || !(await cancelSubmission(unit, number)))
      return { error: setError('cannotUnsend') }
    const { created_at: countedAt } = (await findSubmission(unit, unit.account, number))!
    const sends = (await recipientsOf(unit, unit.account, number)).length
    await returnSends(work.account(method.account.organization), method.services.limits, countedAt, sends)
    unit.change(EmailSubmission.name, number, 'u', ['undoStatus'])
    return { updated: null }
  },

  async destroy({ unit, notes }, number) {
    const row = await findSubmission(unit, unit.account, number)
    if (!row) return setError('notFound')
    // RFC 8621 7.5: destroying does not unsend; a submission stays until it is delivered.
    if (row.due_at !== null) return setError('forbidden', 'The message is still being delivered; cancel it first.')
    await deleteSubmission(unit, number)
    notes.set(number, row.email)
    unit.change(EmailSubmission.name, number, 'd')
    return null
  },

  afterSet: runImplicitSet,
}

async function emailOf(
  { method, unit }: Pick<WriteContext, 'method' | 'unit'>,
  emailId: string,
): Promise<EmailSummary | null> {
  const number = method.number(Email, emailId)
  return number === null ? null : findEmail(unit, unit.account, number)
}

async function presentSubmission({ method, reader }: ReadContext, row: SubmissionTable): Promise<Submission> {
  const recipients = await recipientsOf(reader, method.account.number, row.id)
  const reports = await reportsOf(reader, method.account.number, row.id)
  const blobIds = (kind: 'dsn' | 'mdn') =>
    reports.filter((report) => report.kind === kind).map(({ blob }) => method.id(BLOB_ID, blob))
  return {
    id: method.id(EmailSubmission, row.id),
    identityId: method.id(Identity, row.identity),
    emailId: method.id(Email, row.email),
    threadId: method.id(Thread, row.thread),
    envelope: {
      mailFrom: { email: row.mail_from, parameters: AddressParameters.fromText(row.parameters) },
      rcptTo: recipients.map(({ address, parameters }) => ({
        email: address,
        parameters: AddressParameters.fromText(parameters),
      })),
    },
    sendAt: formatUTCDate(row.send_at),
    undoStatus: row.undo_status,
    deliveryStatus: deliveryStatus(recipients),
    dsnBlobIds: blobIds('dsn'),
    mdnBlobIds: blobIds('mdn'),
    tags: EmailSubmission.properties.tags.fromText(row.tags),
  }
}
