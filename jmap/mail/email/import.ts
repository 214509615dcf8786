/** Email/import: stores blobs as emails (RFC 8621 4.8). */

import { freeWhole } from '../../../server/base/free-memory.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { stateOf } from '../../../storage/change-log.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { newestReceived } from '../../message/received-date.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { setOwn } from '../../protocol/json-object.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { MAIL } from '../../type/capabilities.ts'
import { type MethodContext, requireState, requireThere } from '../../type/context.ts'
import type { Refusal } from '../../type/handlers.ts'
import { defineMethod } from '../../type/method.ts'
import { type ArgumentsOf, p } from '../../type/property.ts'
import { checkMembers, memberOf } from '../../type/validate.ts'
import { openBlob } from '../blob/blobs.ts'
import { createEmail, type EmailPlace, sourceOf } from './create-email.ts'
import { Email } from './email.type.ts'
import { withLowerCaseKeywords } from './keyword-patches.ts'
import { readMessage } from './readable-message.ts'
import { emailWithOctets, type PreparedEmail } from './store-email.ts'

/** RFC 8621 4.8: an EmailImport. A fault refuses it alone. */
const IMPORT = {
  blobId: p.id(),
  mailboxIds: p.idSet(),
  keywords: p.set().defaults({}),
  receivedAt: p.utcDate().nullable().defaults(null),
}

const IMPORT_ARGS = {
  ifInState: p.string().nullable().defaults(null),
  emails: p.creations(p.json<JsonObject>({ type: 'object' })),
}

export const importMethod = defineMethod({
  name: 'Email/import',
  capability: MAIL,
  accounts: 'mailbox',
  scope: 'messages:write',
  writes: true,
  args: IMPORT_ARGS,
  run: runImport,
})

interface Prepared {
  readonly place: EmailPlace & { readonly receivedAt: string | null }
  readonly message: PreparedEmail
}

type Refused = { [creationId: string]: SetError }

async function runImport(method: MethodContext, { ifInState, emails }: ArgumentsOf<typeof IMPORT_ARGS>) {
  if (Object.keys(emails).length > method.services.limits.maxObjectsInSet) throw new MethodError('requestTooLarge')
  const early: Refused = {}
  const ready = new Map<string, Prepared>()
  for (const [creationId, given] of Object.entries(emails)) {
    const prepared = await prepareImport(method, given)
    if ('error' in prepared) setOwn(early, creationId, prepared.error)
    else ready.set(creationId, prepared)
  }
  const account = method.account.number
  let unit: AccountUnit | undefined
  const result = await method.services.store.write([account], async (work) => {
    unit = work.account(account)
    requireThere(unit)
    const oldState = await stateOf(unit, account, Email.name)
    requireState(ifInState, oldState)
    const created: { [creationId: string]: JsonObject & { readonly id: string } } = {}
    const notCreated: Refused = { ...early }
    for (const [creationId, { place, message }] of ready) {
      const outcome = await createEmail({ method, unit, work }, place, message, sourceOf(method))
      if ('error' in outcome) setOwn(notCreated, creationId, outcome.error)
      else setOwn(created, creationId, { id: method.id(Email, outcome.created.number), ...outcome.created.serverSet })
    }
    return { oldState, created, notCreated }
  })
  for (const [creationId, { id }] of Object.entries(result.created)) method.request.createdIds.add(creationId, id)
  return {
    accountId: method.account.id,
    oldState: String(result.oldState),
    newState: String(unit!.committedState(Email.name) ?? result.oldState),
    created: Object.keys(result.created).length > 0 ? result.created : null,
    notCreated: Object.keys(result.notCreated).length > 0 ? result.notCreated : null,
  }
}

async function prepareImport(method: MethodContext, given: JsonObject): Promise<Prepared | Refusal> {
  const resolved = method.request.createdIds.resolveProperties(given, (name) => memberOf(IMPORT, name)?.idPlace)
  if ('error' in resolved) return resolved
  const checked = checkMembers(IMPORT, withLowerCaseKeywords(resolved.value).value)
  if ('wrong' in checked)
    return { error: invalidProperties(checked.wrong, `${checked.wrong[0]} is missing or of a wrong type.`) }
  const { blobId, mailboxIds, keywords, receivedAt } = checked.value
  const blob = await openBlob(method.services, method.request.principal.credential, method.account.number, blobId)
  // RFC 8621 4.8: invalidProperties, also for an id that does not exist.
  if (!blob) return { error: invalidProperties(['blobId'], 'There is no such blob.') }
  const read = await readMessage(blob)
  if ('fault' in read) return { error: setError('invalidEmail', read.fault) }
  const { email: message, bytes } = await emailWithOctets(method.services, read.bytes)
  // RFC 8621 4.8: the time of the newest Received field, else now.
  const received = newestReceived(bytes, message.parsed.headers)
  freeWhole(bytes)
  const time = receivedAt ?? (received === null ? null : formatUTCDate(received))
  return { place: { mailboxIds, keywords, receivedAt: time }, message }
}
