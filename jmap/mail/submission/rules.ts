/** Rules of EmailSubmission: RFC 8621 7. Creating one queues the message; its records are the queue. */
import { type EmailSummary, findEmail } from '../../../storage/repos/emails.ts'
import { findObject } from '../../../storage/repos/objects.ts'
import { selectSubmissions } from '../../../storage/repos/submission-query.ts'
import { recipientsOf } from '../../../storage/repos/submission-recipients.ts'
import { reportsOf } from '../../../storage/repos/submission-reports.ts'
import { cancelSubmission, deleteSubmission, findSubmission } from '../../../storage/repos/submissions.ts'
import type { SubmissionTable } from '../../../storage/schema/tables.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { pick } from '../../type/methods/get.ts'
import type { ReadContext, Rules, WriteContext } from '../../type/rules.ts'
import { type Authors, readAuthors } from './authors.ts'
import { deliveryStatus } from './delivery.ts'
import { noteOfDestroyed, runImplicitSet } from './on-success.ts'
import { querySubmissions } from './query.ts'
import { queueSubmission } from './sending.ts'
import { type Tags, tagsFault } from './tags.ts'

export const submissionRules: Rules = {
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
  accountsOf: async ({ account }, args) => (args['create'] ? [account.organization] : []),
  prepareCreate: async (method, input) => ({ prepared: await readAuthors(method, input['emailId'] as string) }),

  async create(write, input, prepared) {
    const { method, unit } = write
    // RFC 8621 7: the server sets it on create.
    if (input['undoStatus'] !== undefined) return { error: invalidProperties(['undoStatus']) }
    const tags = (input['tags'] ?? {}) as Tags
    const fault = tagsFault(tags)
    if (fault) return { error: fault }
    const email = await emailOf(write, input['emailId'] as string)
    if (!email || !prepared) return { error: invalidProperties(['emailId'], 'There is no such email.') }
    const identityNumber = method.number('Identity', input['identityId'] as string)
    const identity = identityNumber === null ? null : await findObject(unit, unit.account, 'Identity', identityNumber)
    if (!identity) return { error: invalidProperties(['identityId'], 'There is no such identity.') }
    const queued = await queueSubmission(write, {
      email,
      authors: prepared as Authors,
      identity: { number: identity.id, email: identity.data['email'] as string },
      envelope: input['envelope'] ?? null,
      tags,
      organization: write.work.account(method.account.organization),
    })
    if ('error' in queued) return queued
    const presented = await presentSubmission(write, (await findSubmission(unit, unit.account, queued.number))!)
    const { id: _id, emailId: _emailId, identityId: _identityId, tags: _tags, ...serverSet } = presented
    return { created: { number: queued.number, serverSet } }
  },

  async update({ unit }, number, { before, next, changed }) {
    if (changed.length === 0) return { updated: null }
    // RFC 8621 7.5: the one thing a client may change is pending to canceled.
    if (next['undoStatus'] !== 'canceled')
      return { error: invalidProperties(['undoStatus'], 'It can only become canceled.') }
    if (before['undoStatus'] !== 'pending' || !(await cancelSubmission(unit, number)))
      return { error: setError('cannotUnsend') }
    unit.change('EmailSubmission', number, 'u', ['undoStatus'])
    return { updated: null }
  },

  async destroy({ unit, notes }, number) {
    const row = await findSubmission(unit, unit.account, number)
    if (!row) return setError('notFound')
    // RFC 8621 7.5: destroying does not unsend; what is still to be delivered must stay until it is.
    if (row.due_at !== null) return setError('forbidden', 'The message is still being delivered; cancel it first.')
    await deleteSubmission(unit, number)
    notes.set(noteOfDestroyed(number), row.email)
    unit.change('EmailSubmission', number, 'd')
    return null
  },

  afterSet: runImplicitSet,
}

async function emailOf({ method, unit }: WriteContext, emailId: string): Promise<EmailSummary | null> {
  const number = method.number('Email', emailId)
  return number === null ? null : findEmail(unit, unit.account, number)
}

async function presentSubmission({ method, reader }: ReadContext, row: SubmissionTable): Promise<JsonObject> {
  const recipients = await recipientsOf(reader, method.account.number, row.id)
  const reports = await reportsOf(reader, method.account.number, row.id)
  const blobIds = (kind: 'dsn' | 'mdn') =>
    reports.filter((report) => report.kind === kind).map(({ blob }) => method.id('Blob', blob))
  return {
    id: method.id('EmailSubmission', row.id),
    identityId: method.id('Identity', row.identity),
    emailId: method.id('Email', row.email),
    threadId: method.id('Thread', row.thread),
    envelope: {
      mailFrom: { email: row.mail_from, parameters: JSON.parse(row.parameters) as Json },
      rcptTo: recipients.map(({ address, parameters }) => ({
        email: address,
        parameters: JSON.parse(parameters) as Json,
      })),
    },
    sendAt: formatUTCDate(row.send_at),
    undoStatus: row.undo_status,
    deliveryStatus: deliveryStatus(recipients),
    dsnBlobIds: blobIds('dsn'),
    mdnBlobIds: blobIds('mdn'),
    tags: JSON.parse(row.tags) as Json,
  }
}
