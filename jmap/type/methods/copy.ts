/** /copy: RFC 8620 5.4. Reads in one account, creates in another by the type's /set, and destroys the originals on request. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { stateOf } from '../../../storage/change-log.ts'
import { invalidArguments, invalidProperties, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { setOwn } from '../../protocol/json-object.ts'
import { plain } from '../../protocol/json-text.ts'
import { MethodContext, requireState } from '../context.ts'
import type { TypeDefinition } from '../define-type.ts'
import type { Handlers } from '../handlers.ts'
import { findAccountRef, requireScope } from '../method.ts'
import { objectNumber } from '../object-id.ts'
import { type ArgumentsOf, p } from '../property.ts'
import { runSet } from './set.ts'
import type { Prepared } from './set-call.ts'

/** A record to copy: the id of the original, and the properties that differ in the copy. */
type CopyRecord = JsonObject & { readonly id: string }

export const COPY_ARGS = {
  fromAccountId: p.string(),
  ifFromInState: p.string().nullable().defaults(null),
  ifInState: p.string().nullable().defaults(null),
  create: p.creations(p.json<CopyRecord>({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } })),
  onSuccessDestroyOriginal: p.bool().defaults(false),
  destroyFromIfInState: p.string().nullable().defaults(null),
}

type CopyArguments = ArgumentsOf<typeof COPY_ARGS>

export async function runCopy(method: MethodContext, type: TypeDefinition, handlers: Handlers, args: CopyArguments) {
  const from = await openSource(method, type, args.fromAccountId)
  const { maxObjectsInSet } = method.services.limits
  if (Object.keys(args.create).length > maxObjectsInSet)
    throw new MethodError('requestTooLarge', `At most ${maxObjectsInSet} objects.`)
  const { create, presets, notCreated } = await readOriginals(from, method, type, handlers, args)
  const setArgs = { ifInState: args.ifInState, create, update: null, destroy: null, returning: null }
  const { created, ...result } = await runSet(method, type, handlers, setArgs, presets)
  if (args.onSuccessDestroyOriginal && created) {
    const destroy = Object.keys(created).map((creationId) => from.resolveId(args.create[creationId]!.id))
    await method.request.implicit(`${type.name}/set`, {
      accountId: from.account.id,
      destroy,
      ...(args.destroyFromIfInState !== null && { ifInState: args.destroyFromIfInState }),
    })
  }
  const refused = { ...result.notCreated, ...notCreated }
  return {
    fromAccountId: from.account.id,
    accountId: method.account.id,
    oldState: result.oldState,
    newState: result.newState,
    created,
    notCreated: Object.keys(refused).length > 0 ? refused : null,
  }
}

async function openSource(method: MethodContext, type: TypeDefinition, accountId: string): Promise<MethodContext> {
  if (accountId === method.account.id)
    throw invalidArguments('fromAccountId and accountId are the same.', ['fromAccountId'])
  const account = await findAccountRef(method.request, accountId)
  if (!account) throw new MethodError('fromAccountNotFound')
  if (account.kind !== type.accounts) throw new MethodError('fromAccountNotSupportedByMethod')
  requireScope(method.request, type.scopes.read)
  return new MethodContext(method.request, account)
}

interface Originals {
  /** Objects to create: the original's properties with the client's changes (RFC 8620 5.4). */
  readonly create: { readonly [creationId: string]: JsonObject }
  readonly presets: ReadonlyMap<string, Prepared>
  readonly notCreated: { readonly [creationId: string]: SetError }
}

async function readOriginals(
  from: MethodContext,
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  args: CopyArguments,
): Promise<Originals> {
  const create: { [creationId: string]: JsonObject } = {}
  const notCreated: { [creationId: string]: SetError } = {}
  const presets = new Map<string, Prepared>()
  await from.read(async (reader) =>
    requireState(args.ifFromInState, await stateOf(reader, from.account.number, type.name)),
  )
  for (const [creationId, { id, ...given }] of Object.entries(args.create)) {
    const { copySets } = handlers
    const fixed = Object.keys(given).filter((name) => copySets && !copySets.includes(name))
    const number = objectNumber(from, type, from.resolveId(id))
    const original =
      number === null || fixed.length > 0 ? null : await readOriginal(from, method, type, handlers, number)
    if (!original) {
      const error =
        fixed.length > 0 ? invalidProperties(fixed, 'A copy cannot have it otherwise.') : setError('notFound')
      setOwn(notCreated, creationId, error)
      continue
    }
    setOwn(create, creationId, { ...original.input, ...given })
    if ('prepared' in original) presets.set(creationId, { prepared: original.prepared })
  }
  return { create, presets, notCreated }
}

function readOriginal(
  from: MethodContext,
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  number: number,
) {
  return handlers.prepareCopy
    ? handlers.prepareCopy(from, method, number)
    : copyProperties(from, type, handlers, number)
}

async function copyProperties(from: MethodContext, type: TypeDefinition, handlers: Handlers, number: number) {
  const object = await from.read(async (reader) => {
    const request = { numbers: [number], properties: Object.keys(type.properties), args: {} }
    return (await handlers.load({ method: from, reader }, request)).get(number)
  })
  return object ? { input: copyable(type, plain(object) as JsonObject) } : null
}

function copyable(type: TypeDefinition, original: JsonObject): JsonObject {
  const copy: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(original)) if (!type.properties[name]?.serverSet) setOwn(copy, name, value)
  return copy
}
