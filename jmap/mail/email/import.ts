/** Email/import: messages that are blobs become emails (RFC 8621 4.8). */
import { stateOf } from '../../../storage/change-log.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { MAIL } from '../../capabilities.ts'
import { type MethodContext, requireState } from '../../context.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { getOwn, setOwn } from '../../protocol/json-object.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { defineMethod } from '../../type/method.ts'
import { type Properties, p } from '../../type/property.ts'
import type { WriteContext } from '../../type/rules.ts'
import { faultOf } from '../../type/validate.ts'
import { openBlob } from '../blobs.ts'
import { emailFromMessage, type PreparedEmail } from '../ingest.ts'
import { parseDate as parseMailDate } from '../message/date.ts'
import { fieldText, firstField, unfold } from '../message/headers.ts'
import { withLowerCaseKeywords } from './keyword-patches.ts'
import { createEmail, sourceOf } from './rules.ts'

/** RFC 8621 4.8: what is wrong with one import is told for it alone. */
const IMPORT: Properties = {
  blobId: p.id(),
  mailboxIds: p.idSet(),
  keywords: p.map(p.json<true>({ const: true })).defaults({}),
  receivedAt: p.utcDate().nullable().defaults(null),
}

export const importMethod = defineMethod({
  name: 'Email/import',
  capability: MAIL,
  accounts: 'mailbox',
  scope: 'messages:write',
  writes: true,
  args: {
    ifInState: p.string().nullable().defaults(null),
    emails: p.creations(p.json<JsonObject>({ type: 'object' })),
  },
  run: runImport,
})

type Refused = { [creationId: string]: SetError }

async function runImport(method: MethodContext, args: JsonObject): Promise<ResponseArguments> {
  const emails = args['emails'] as Record<string, JsonObject>
  if (Object.keys(emails).length > method.services.limits.maxObjectsInSet) throw new MethodError('requestTooLarge')
  const early: Refused = {}
  const ready = new Map<string, { input: JsonObject; message: PreparedEmail }>()
  for (const [creationId, given] of Object.entries(emails)) {
    const prepared = await prepareImport(method, given)
    if ('error' in prepared) setOwn(early, creationId, prepared.error)
    else ready.set(creationId, prepared)
  }
  const account = method.account.number
  let unit: AccountUnit | undefined
  const result = await method.services.store.write([account], async (work) => {
    unit = work.account(account)
    const write: WriteContext = { method, reader: unit, unit, work, args, notes: new Map() }
    const oldState = await stateOf(unit, account, 'Email')
    requireState(args['ifInState'] as string | null, oldState)
    const created: { [creationId: string]: JsonObject } = {}
    const notCreated: Refused = { ...early }
    for (const [creationId, { input, message }] of ready) {
      const outcome = await createEmail(write, input, message, sourceOf(method))
      if ('error' in outcome) setOwn(notCreated, creationId, outcome.error)
      else setOwn(created, creationId, { id: method.id('Email', outcome.created.number), ...outcome.created.serverSet })
    }
    return { oldState, created, notCreated }
  })
  for (const [creationId, object] of Object.entries(result.created))
    method.request.createdIds.add(creationId, object['id'] as string)
  return {
    accountId: method.account.id,
    oldState: String(result.oldState),
    newState: String(unit!.committedState('Email') ?? result.oldState),
    created: Object.keys(result.created).length > 0 ? result.created : null,
    notCreated: Object.keys(result.notCreated).length > 0 ? result.notCreated : null,
  }
}

async function prepareImport(
  method: MethodContext,
  given: JsonObject,
): Promise<{ input: JsonObject; message: PreparedEmail } | { error: SetError }> {
  const resolved = method.request.createdIds.resolveProperties(given, (name) => IMPORT[name]?.idPlace)
  if ('error' in resolved) return resolved
  const wrong = importFaults(resolved.value)
  if (wrong.length > 0) return { error: invalidProperties(wrong, `${wrong[0]} is missing or of a wrong type.`) }
  const { value: input } = withLowerCaseKeywords(resolved.value)
  const blobId = input['blobId'] as string
  const blob = await openBlob(method.services, method.request.principal.credential, method.account.number, blobId)
  // RFC 8621 4.8: invalidProperties, also for an id that is not found.
  if (!blob) return { error: invalidProperties(['blobId'], 'There is no such blob.') }
  const bytes = await blob.read()
  // RFC 8621 4.8: a server may take what is no message by the letter; an import must not lose mail. Nothing is not mail.
  if (bytes.length === 0) return { error: setError('invalidEmail', 'The blob is empty.') }
  const message = await emailFromMessage(method.services.store, bytes)
  // RFC 8621 4.8: the time of the newest Received field, else now.
  const receivedAt = input['receivedAt'] ?? lastReceived(bytes, message)
  return { input: { ...input, receivedAt }, message }
}

/** Names of the properties that are wrong. */
function importFaults(given: JsonObject): string[] {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(IMPORT, name))
  const wrong = Object.entries(IMPORT).filter(([name, property]) => {
    const value = getOwn(given, name) ?? property.default
    return value === undefined || faultOf(property, value) !== null
  })
  return [...unknown, ...wrong.map(([name]) => name)]
}

function lastReceived(bytes: Uint8Array, message: PreparedEmail): string | null {
  const field = firstField(message.parsed.headers, 'received')
  if (!field) return null
  const date = parseMailDate(unfold(fieldText(bytes, field)).split(';').at(-1) ?? '')
  return date ? formatUTCDate(date.ms) : null
}
