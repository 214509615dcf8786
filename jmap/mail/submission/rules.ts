/** Rules of EmailSubmission: RFC 8621 7. Creating one queues the message; its records are the queue. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { type EmailSummary, findEmail } from '../../../storage/repos/emails.ts'
import { findObject } from '../../../storage/repos/objects.ts'
import {
  deleteSubmission,
  findSubmission,
  insertSubmission,
  listSubmissions,
  recipientsOf,
  updateSubmission,
} from '../../../storage/repos/submissions.ts'
import type { SubmissionRecipientTable, SubmissionTable } from '../../../storage/schema/tables.ts'
import type { MethodContext } from '../../context.ts'
import type { Json, JsonObject } from '../../core.ts'
import { invalidEmail, invalidProperties, type SetError, setError, tooManyRecipients } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import { formatUTCDate, parseUTCDate } from '../../protocol/primitives.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-rules.ts'
import type { ReadContext, Rules, WriteContext } from '../../type/rules.ts'
import { normaliseAddress } from '../addresses.ts'
import { maySendAs } from '../identity/rules.ts'
import { deliveryStatus } from './delivery.ts'
import { addressesIn, type Envelope, envelopeOf, sendAtOf } from './envelope.ts'
import { runImplicitSet } from './on-success.ts'

export const submissionRules: Rules = {
  async all({ method, reader }, limit) {
    return (await listSubmissions(reader, method.account.number)).slice(0, limit).map((row) => row.id)
  },

  async load(read, { numbers, properties }) {
    const found = new Map<number, JsonObject>()
    for (const number of numbers) {
      const row = await findSubmission(read.reader, read.method.account.number, number)
      if (row) found.set(number, pick(await presentSubmission(read, row), properties))
    }
    return found
  },

  async query({ method, reader }, { filter, sort }) {
    const rows = (await listSubmissions(reader, method.account.number)).filter((row) => matches(method, filter, row))
    rows.sort((a, b) => {
      for (const { property, isAscending } of sort) {
        const order = SORTS[property]!(a) - SORTS[property]!(b)
        if (order !== 0) return isAscending ? order : -order
      }
      return b.id - a.id
    })
    return listResult(rows.map((row) => row.id))
  },

  async create(write, input) {
    const { method, unit } = write
    const email = await emailOf(write, input['emailId'] as string)
    if (!email) return { error: invalidProperties(['emailId'], 'There is no such email.') }
    const identityNumber = method.number('Identity', input['identityId'] as string)
    const identity = identityNumber === null ? null : await findObject(unit, unit.account, 'Identity', identityNumber)
    if (!identity) return { error: invalidProperties(['identityId'], 'There is no such identity.') }
    const queued = await queueSubmission(
      write,
      email,
      identity.id,
      identity.data['email'] as string,
      input['envelope'] ?? null,
    )
    if ('error' in queued) return queued
    const presented = await presentSubmission(write, (await findSubmission(unit, unit.account, queued.number))!)
    const { id: _id, emailId: _emailId, identityId: _identityId, ...serverSet } = presented
    return { created: { number: queued.number, serverSet } }
  },

  async update(write, number, { before, next, changed }) {
    if (changed.length === 0) return { updated: null }
    // RFC 8621 7.5: the one thing a client may change is pending to canceled.
    if (next['undoStatus'] !== 'canceled') return { error: invalidProperties(['undoStatus']) }
    const row = (await findSubmission(write.unit, write.unit.account, number))!
    if (before['undoStatus'] !== 'pending' || row.lease_until > write.unit.now)
      return { error: setError('cannotUnsend') }
    await updateSubmission(write.unit, number, { undo_status: 'canceled', due_at: null })
    write.unit.change('EmailSubmission', number, 'u', ['undoStatus'])
    return { updated: null }
  },

  async destroy({ unit }, number) {
    const row = await findSubmission(unit, unit.account, number)
    if (!row) return setError('notFound')
    // RFC 8621 7.5: destroying does not unsend; what is still to be delivered must stay until it is.
    if (row.due_at !== null) return setError('forbidden', 'The message is still being delivered; cancel it first.')
    await deleteSubmission(unit, number)
    unit.change('EmailSubmission', number, 'd')
    return null
  },

  afterSet: runImplicitSet,
}

async function emailOf({ method, unit }: WriteContext, emailId: string): Promise<EmailSummary | null> {
  const number = method.number('Email', emailId)
  return number === null ? null : findEmail(unit, unit.account, number)
}

/** Inside: checks who sends what to whom, and puts it in the queue. The one way to send, for JMAP, REST and SMTP submission. */
export async function queueSubmission(
  { method, unit }: Pick<WriteContext, 'method' | 'unit'>,
  email: EmailSummary,
  identity: number,
  identityEmail: string,
  given: Json,
): Promise<{ number: number } | { error: SetError }> {
  const result = envelopeOf(email, given, identityEmail)
  if ('error' in result) return result
  const { envelope } = result
  const error = await senderFault(unit, email, envelope)
  if (error) return { error }
  const { limits } = method.services
  if (envelope.rcptTo.length > limits.maxRecipients) return { error: tooManyRecipients(limits.maxRecipients) }
  const sendAt = sendAtOf(envelope, unit.now, limits.maxDelayedSend)
  if (sendAt === null)
    return { error: invalidProperties(['envelope'], 'HOLDFOR or HOLDUNTIL is not valid or too far away.') }
  const number = unit.nextObject()
  await insertSubmission(
    unit,
    submissionRow(unit, number, identity, email, envelope, sendAt),
    recipientRows(unit, number, envelope),
  )
  unit.change('EmailSubmission', number, 'c')
  return { number }
}

/** RFC 8621 7.5: who may send as whom; every From and Sender must be the account's own (reliability.md S5). */
async function senderFault(unit: AccountUnit, email: EmailSummary, { mailFrom }: Envelope): Promise<SetError | null> {
  const from = addressesIn(email, 'from')
  if (from.length === 0) return invalidEmail(['from'], 'The email has no From.')
  const own = async (address: string) => {
    const normal = normaliseAddress(address)
    return normal !== null && (await maySendAs(unit, unit.account, normal))
  }
  for (const address of [...from, ...addressesIn(email, 'sender')])
    if (!(await own(address))) return setError('forbiddenFrom')
  return (await own(mailFrom.email)) ? null : setError('forbiddenMailFrom')
}

function submissionRow(
  unit: AccountUnit,
  id: number,
  identity: number,
  email: EmailSummary,
  envelope: Envelope,
  sendAt: number,
): SubmissionTable {
  return {
    account: unit.account,
    id,
    identity,
    email: email.id,
    thread: email.thread,
    blob: email.blob,
    mail_from: envelope.mailFrom.email,
    parameters: JSON.stringify(envelope.mailFrom.parameters),
    send_at: sendAt,
    // RFC 8621 7: pending while it can be taken back, which is as long as it is held.
    undo_status: sendAt > unit.now ? 'pending' : 'final',
    due_at: sendAt,
    attempts: 0,
    lease: null,
    lease_until: 0,
    created_at: unit.now,
  }
}

function recipientRows(unit: AccountUnit, submission: number, envelope: Envelope): SubmissionRecipientTable[] {
  return envelope.rcptTo.map((recipient, position) => ({
    account: unit.account,
    submission,
    position,
    address: recipient.email,
    parameters: JSON.stringify(recipient.parameters),
    status: 'open',
    smtp_reply: null,
    host: null,
    tried_at: null,
  }))
}

async function presentSubmission({ method, reader }: ReadContext, row: SubmissionTable): Promise<JsonObject> {
  const recipients = await recipientsOf(reader, method.account.number, row.id)
  const isPending = row.undo_status === 'pending' && row.send_at > method.services.clock.now()
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
    undoStatus: row.undo_status === 'pending' && !isPending ? 'final' : row.undo_status,
    deliveryStatus: deliveryStatus(recipients),
    dsnBlobIds: [],
    mdnBlobIds: [],
  }
}

function matches(method: MethodContext, filter: Json, row: SubmissionTable): boolean {
  if (!isObject(filter)) return true
  if (typeof filter['operator'] === 'string') {
    const conditions = filter['conditions'] as readonly Json[]
    const test = (condition: Json) => matches(method, condition, row)
    if (filter['operator'] === 'AND') return conditions.every(test)
    return filter['operator'] === 'OR' ? conditions.some(test) : !conditions.some(test)
  }
  return Object.entries(filter).every(([name, value]) => FILTERS[name]!(row, value, method))
}

const FILTERS: { readonly [name: string]: (row: SubmissionTable, value: Json, method: MethodContext) => boolean } = {
  identityIds: (row, value, method) => (value as string[]).includes(method.id('Identity', row.identity)),
  emailIds: (row, value, method) => (value as string[]).includes(method.id('Email', row.email)),
  threadIds: (row, value, method) => (value as string[]).includes(method.id('Thread', row.thread)),
  undoStatus: (row, value, method) =>
    (row.undo_status === 'pending' && row.send_at <= method.services.clock.now() ? 'final' : row.undo_status) === value,
  before: (row, value) => row.send_at < parseUTCDate(String(value))!,
  after: (row, value) => row.send_at >= parseUTCDate(String(value))!,
}

const SORTS: { readonly [property: string]: (row: SubmissionTable) => number } = {
  emailId: (row) => row.email,
  threadId: (row) => row.thread,
  // RFC 8621 7.3 names it sentAt; the property is sendAt.
  sentAt: (row) => row.send_at,
  sendAt: (row) => row.send_at,
}
