/**
 * Email/send (vendor): makes a message and puts it in the queue in one unit of work, so that nothing stays behind of one that is
 * refused. `create` holds, by creation id, what SEND names; each is told as `created` (ids of the email and its submission) or
 * `notCreated`. Without `mailboxIds` the email is in Sent, as read; the identity is the one that From belongs to, and gives it a name
 * where it has none.
 */
import { findEmail } from '../../../storage/repos/emails.ts'
import { mailboxRoles } from '../../../storage/repos/mailboxes.ts'
import { listObjects, type StoredObject } from '../../../storage/repos/objects.ts'
import { SERVICE } from '../../capabilities.ts'
import type { MethodContext } from '../../context.ts'
import type { OnceStep } from '../../once.ts'
import { invalidProperties, MethodError, type SetError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import { defineMethod } from '../../type/method.ts'
import { checkCreate, objectOrNull, resolvedSoFar } from '../../type/methods/set-records.ts'
import { type Properties, p } from '../../type/property.ts'
import type { WriteContext } from '../../type/rules.ts'
import { faultOf } from '../../type/validate.ts'
import { prepareEmail } from '../email/create.ts'
import { Email } from '../email/email.type.ts'
import { destroyEmail } from '../email/move.ts'
import { createEmail, emailRules, sourceOf } from '../email/rules.ts'
import type { PreparedEmail } from '../ingest.ts'
import { type Authors, authorsIn } from './authors.ts'
import { fromOf, identityOf } from './sender.ts'
import { queueSubmission } from './sending.ts'
import { EmailSubmission } from './submission.type.ts'
import { type Tags, tagsFault } from './tags.ts'

/** One message. `email` is as for Email/set, `envelope` and `tags` as for EmailSubmission/set. */
const SEND: Properties = {
  email: p.json<JsonObject>({ type: 'object' }),
  identityId: p.id().nullable().defaults(null),
  envelope: EmailSubmission.properties.envelope,
  tags: EmailSubmission.properties.tags,
  // false: no copy stays in the mailbox.
  saveToSent: p.bool().defaults(true),
}

export const sendMethod = defineMethod({
  name: 'Email/send',
  capability: SERVICE,
  accounts: 'mailbox',
  scope: 'messages:write',
  writes: true,
  args: { create: p.creations(p.json<JsonObject>({ type: 'object' })) },
  run: runSend,
})

/** Thrown to undo the unit of work. */
class Refused extends Error {
  readonly error: SetError
  constructor(error: SetError) {
    super(error.type)
    this.error = error
  }
}

type Outcome = { readonly created: JsonObject } | { readonly error: SetError }

interface Ready {
  /** As Email/set has it. */
  readonly input: JsonObject
  readonly message: PreparedEmail
  readonly authors: Authors
  readonly identity: StoredObject
  readonly sending: JsonObject
}

async function runSend(method: MethodContext, args: JsonObject): Promise<ResponseArguments> {
  const create = Object.entries(args['create'] as Record<string, JsonObject>)
  if (create.length > method.services.limits.maxObjectsInSet) throw new MethodError('requestTooLarge')
  // Steps are counted in the order of the messages, whatever order they are done in.
  const steps = create.map(() => method.request.once?.next())
  const outcomes = await Promise.all(create.map(([, given], i) => sendOne(method, given, steps[i])))
  const created = new Map<string, JsonObject>()
  const notCreated = new Map<string, SetError>()
  for (const [i, [creationId]] of create.entries()) {
    const outcome = outcomes[i]!
    if ('error' in outcome) notCreated.set(creationId, outcome.error)
    else {
      created.set(creationId, outcome.created)
      method.request.createdIds.add(creationId, outcome.created['id'] as string)
    }
  }
  return { accountId: method.account.id, created: objectOrNull(created), notCreated: objectOrNull(notCreated) }
}

async function sendOne(method: MethodContext, given: JsonObject, step: OnceStep | undefined): Promise<Outcome> {
  const ready = await prepare(method, given)
  if ('error' in ready) return ready
  const { number, organization } = method.account
  try {
    return await method.services.store.write([number, organization], async (work) => {
      const unit = work.account(number)
      const done = await step?.recall<JsonObject>(unit)
      if (done) return { created: done }
      const write: WriteContext = { method, reader: unit, unit, work, args: {}, notes: new Map() }
      const created = await storeAndQueue(write, ready)
      await step?.keep(unit, created)
      return { created }
    })
  } catch (error) {
    if (error instanceof Refused) return { error: error.error }
    throw error
  }
}

/** Outside the transaction: what the message is, and whose. */
async function prepare(method: MethodContext, given: JsonObject): Promise<Ready | { error: SetError }> {
  const sending = checkSending(given)
  if ('error' in sending) return sending
  const account = method.account.number
  const { identities, roles } = await method.read(async (reader) => ({
    identities: await listObjects(reader, account, 'Identity'),
    roles: await mailboxRoles(reader, account),
  }))
  const email = sending.value['email'] as JsonObject
  const identity = identityOf(method, identities, sending.value['identityId'] as string | null, email)
  if ('error' in identity) return identity
  const place = roles.get('sent') ?? roles.get('inbox')!
  const full = {
    mailboxIds: { [method.id('Mailbox', place)]: true },
    keywords: { $seen: true },
    ...email,
    from: fromOf(email['from'], identity),
  }
  const checked = checkCreate(Email, emailRules, resolvedSoFar(Email, method.request.createdIds, full))
  if ('error' in checked) return checked
  const made = await prepareEmail(method, checked.value)
  if ('error' in made) return made
  const { prepared: message, bytes } = made
  return { input: checked.value, message, authors: authorsIn(bytes, true), identity, sending: sending.value }
}

/** Inside. @throws Refused */
async function storeAndQueue(write: WriteContext, ready: Ready): Promise<JsonObject> {
  const { method, unit, work } = write
  const { input, message, authors, identity, sending } = ready
  const stored = await createEmail(write, input, message, sourceOf(method))
  if ('error' in stored) throw new Refused(stored.error)
  const { number, serverSet } = stored.created
  const queued = await queueSubmission(write, {
    email: (await findEmail(unit, unit.account, number))!,
    authors,
    identity: { number: identity.id, email: identity.data['email'] as string },
    envelope: sending['envelope'] ?? null,
    tags: sending['tags'] as Tags,
    organization: work.account(method.account.organization),
  })
  if ('error' in queued) throw new Refused(queued.error)
  // The submission keeps what has to be known of it.
  if (sending['saveToSent'] === false) await destroyEmail(method.services, unit, number)
  return { id: method.id('Email', number), submissionId: method.id('EmailSubmission', queued.number), ...serverSet }
}

/** The members beside the email; defaults filled in. */
function checkSending(given: JsonObject): { readonly value: JsonObject } | { readonly error: SetError } {
  const value: { [name: string]: JsonObject[string] } = {}
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(SEND, name))
  if (unknown.length > 0) return { error: invalidProperties(unknown, `${unknown[0]} is not a property.`) }
  for (const [name, property] of Object.entries(SEND)) {
    const member = given[name] ?? property.default
    const fault = member === undefined ? 'is missing' : faultOf(property, member)
    if (fault) return { error: invalidProperties([name], `${name} ${fault}.`) }
    value[name] = member!
  }
  const error = tagsFault(value['tags']!)
  return error ? { error } : { value }
}
