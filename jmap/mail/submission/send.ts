/** Email/send, a vendor method. */

import { errorMessage, isFailure } from '../../../server/base/errors.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { AccountGone } from '../../../storage/account-gone.ts'
import { findEmail } from '../../../storage/repos/emails.ts'
import { mailboxRoles } from '../../../storage/repos/mailboxes.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { type MethodContext, requireThere } from '../../type/context.ts'
import type { CreateOf } from '../../type/derived.ts'
import type { Refusal, WriteContext } from '../../type/handlers.ts'
import type { IdempotentStep } from '../../type/idempotent-steps.ts'
import { implement } from '../../type/method.ts'
import { checkCreate, objectOrNull, resolvedSoFar } from '../../type/methods/set-records.ts'
import { listStored, type Stored } from '../../type/object-store.ts'
import type { ArgumentsOf } from '../../type/property.ts'
import { checkMembers, faultOf, memberOf } from '../../type/validate.ts'
import { prepareEmail } from '../email/create.ts'
import { createEmail, sourceOf } from '../email/create-email.ts'
import { Email } from '../email/email.type.ts'
import { acceptsHeaderProperty } from '../email/load.ts'
import { destroyEmail } from '../email/move.ts'
import type { PreparedEmail } from '../email/store-email.ts'
import { Identity } from '../identity/identity.type.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import { type Authors, authorsIn } from './authors.ts'
import { EmailSubmission } from './email-submission.type.ts'
import { EmailSend, Sending, type Sent } from './send.type.ts'
import { fromOf, identityOf } from './sender.ts'
import { queueSubmission } from './sending.ts'
import { tagsFault } from './tags.ts'

export const sendMethod = implement(EmailSend, (method, { create }) => runSend(method, Object.entries(create)))

/** Thrown to roll back the unit of work. */
class Refused extends Error {
  readonly error: SetError
  constructor(error: SetError) {
    super(error.type)
    this.error = error
  }
}

type CheckedSending = ArgumentsOf<typeof Sending>

interface Ready {
  readonly input: CreateOf<typeof Email>
  readonly message: PreparedEmail
  readonly authors: Authors
  readonly identity: Stored<typeof Identity>
  readonly sending: CheckedSending
}

async function runSend(method: MethodContext, create: readonly [creationId: string, given: JsonObject][]) {
  if (create.length > method.services.limits.maxObjectsInSet) throw new MethodError('requestTooLarge')
  // Steps are numbered in the order of the messages, in whatever order these are stored.
  const steps = create.map(() => method.request.steps?.next())
  const outcomes = await Promise.all(
    create.map(([, given], i) => sendOne(method, given, steps[i]).catch((error) => failed(method, error))),
  )
  const created = new Map<string, Sent>()
  const notCreated = new Map<string, SetError>()
  for (const [i, [creationId]] of create.entries()) {
    const outcome = outcomes[i]!
    if ('error' in outcome) notCreated.set(creationId, outcome.error)
    else {
      created.set(creationId, outcome.created)
      method.request.createdIds.add(creationId, outcome.created.id)
    }
  }
  return { accountId: method.account.id, created: objectOrNull(created), notCreated: objectOrNull(notCreated) }
}

/** A failed message does not affect the others: they may have been sent. */
function failed(method: MethodContext, error: unknown): Refusal {
  const isGone = error instanceof MethodError && error.type === 'accountNotFound'
  if (isGone || error instanceof AccountGone) return { error: MAILBOX_GONE }
  if (error instanceof MethodError) throw error
  const fields = {
    method: 'Email/send',
    error: errorMessage(error),
    stack: error instanceof Error ? error.stack : null,
  }
  method.services.logger.error(fields, 'a message was not sent')
  const isTemporary = isFailure(error) && error.code !== 'corrupt'
  return { error: setError(isTemporary ? 'serverUnavailable' : 'serverFail') }
}

const MAILBOX_GONE = setError('notFound', 'The mailbox has been deleted.')

async function sendOne(
  method: MethodContext,
  given: JsonObject,
  step: IdempotentStep | undefined,
): Promise<{ readonly created: Sent } | Refusal> {
  // Before the checks of objects that may have changed since: an identity, a blob, the mailbox itself.
  const sent = step?.isRepeated ? await method.read((reader) => step.recall<Sent>(reader)) : null
  if (sent) return { created: sent }
  const ready = await prepare(method, given)
  if ('error' in ready) return ready
  const { number, organization } = method.account
  try {
    return await method.services.store.write([number, organization], async (work) => {
      const unit = work.account(number)
      const done = await step?.recall<Sent>(unit)
      if (done) return { created: done }
      requireThere(unit)
      const created = await storeAndQueue({ method, unit, work }, ready)
      await step?.keep(unit, created)
      return { created }
    })
  } catch (error) {
    if (error instanceof Refused) return { error: error.error }
    throw error
  }
}

/** Outside the transaction: prepares the message and finds its identity. */
async function prepare(method: MethodContext, given: JsonObject): Promise<Ready | Refusal> {
  const sending = checkSending(given)
  if ('error' in sending) return sending
  const account = method.account.number
  const { identities, roles } = await method.read(async (reader) => ({
    identities: await listStored(reader, account, Identity),
    roles: await mailboxRoles(reader, account),
  }))
  const { email, identityId } = sending.value
  const identity = identityOf(method, identities, identityId, email)
  if ('error' in identity) return identity
  const place = roles.get('sent') ?? roles.get('inbox')
  if (place === undefined) return { error: MAILBOX_GONE }
  const full = {
    mailboxIds: { [method.id(Mailbox, place)]: true },
    keywords: { $seen: true },
    ...email,
    from: fromOf(email['from'], identity),
  }
  const checked = checkCreate(
    Email,
    { acceptsProperty: acceptsHeaderProperty },
    resolvedSoFar(Email, method.request.createdIds, full),
  )
  if ('error' in checked) return checked
  const made = await prepareEmail(method, checked.value)
  if ('error' in made) return made
  const { prepared: message, bytes } = made
  return { input: checked.value, message, authors: authorsIn(bytes, true), identity, sending: sending.value }
}

/** Inside the unit of work. @throws Refused */
async function storeAndQueue(
  { method, unit, work }: Pick<WriteContext, 'method' | 'unit' | 'work'>,
  ready: Ready,
): Promise<Sent> {
  const { input, message, authors, identity, sending } = ready
  const stored = await createEmail({ method, unit, work }, input, message, sourceOf(method))
  if ('error' in stored) throw new Refused(stored.error)
  const { number, serverSet } = stored.created
  const queued = await queueSubmission(
    { method, unit },
    {
      email: (await findEmail(unit, unit.account, number))!,
      authors,
      identity: { number: identity.id, email: identity.data.email },
      envelope: sending.envelope,
      tags: sending.tags,
      organization: work.account(method.account.organization),
    },
  )
  if ('error' in queued) throw new Refused(queued.error)
  // The submission keeps the data that later reports need.
  if (!sending.saveToSent) await destroyEmail(method.services, unit, number)
  return { id: method.id(Email, number), submissionId: method.id(EmailSubmission, queued.number), ...serverSet }
}

/** The members beside the email, with defaults. */
function checkSending(given: JsonObject): { readonly value: CheckedSending } | Refusal {
  const unknown = Object.keys(given).filter((name) => !memberOf(Sending, name))
  if (unknown.length > 0) return { error: invalidProperties(unknown, `${unknown[0]} is not a property.`) }
  const checked = checkMembers(Sending, given)
  if ('wrong' in checked) {
    const [name = ''] = checked.wrong
    const member = given[name]
    const fault = member === undefined ? 'is missing' : faultOf(Sending[name as keyof CheckedSending], member)
    return { error: invalidProperties([name], `${name} ${fault}.`) }
  }
  const error = tagsFault(checked.value.tags)
  return error ? { error } : checked
}
