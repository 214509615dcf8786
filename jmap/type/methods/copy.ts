/** /copy: RFC 8620 5.4: reads in one account, creates in another through the type's own /set, destroys the originals if asked to. */
import { stateOf } from '../../../storage/change-log.ts'
import { MethodContext, requireState } from '../../context.ts'
import { invalidArguments, invalidProperties, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { setOwn } from '../../protocol/json-object.ts'
import { plain, type ResponseArguments } from '../../protocol/json-text.ts'
import type { TypeDefinition } from '../define-type.ts'
import { findAccountRef, requireScope } from '../method.ts'
import { p } from '../property.ts'
import type { Rules } from '../rules.ts'
import { objectNumber } from './get.ts'
import { type Prepared, runSet } from './set.ts'

export const COPY_ARGS = {
  fromAccountId: p.string(),
  ifFromInState: p.string().nullable().defaults(null),
  ifInState: p.string().nullable().defaults(null),
  create: p.creations(p.json<JsonObject>({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } })),
  onSuccessDestroyOriginal: p.bool().defaults(false),
  destroyFromIfInState: p.string().nullable().defaults(null),
}

export async function runCopy(
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
): Promise<ResponseArguments> {
  const from = await openSource(method, type, args['fromAccountId'] as string)
  const wanted = args['create'] as Record<string, JsonObject>
  const { maxObjectsInSet } = method.services.limits
  if (Object.keys(wanted).length > maxObjectsInSet)
    throw new MethodError('requestTooLarge', `At most ${maxObjectsInSet} objects.`)
  const { create, presets, notCreated } = await readOriginals(from, method, type, rules, args)
  const setArgs = { ifInState: args['ifInState'] ?? null, create, update: null, destroy: null }
  const result = await runSet(method, type, rules, setArgs, presets)
  const created = result['created'] as Record<string, JsonObject> | null
  if (args['onSuccessDestroyOriginal'] === true && created) {
    const destroy = Object.keys(created).map((creationId) => idOf(from, wanted[creationId]!))
    await method.request.implicit(`${type.name}/set`, {
      accountId: from.account.id,
      destroy,
      ...(args['destroyFromIfInState'] !== null && { ifInState: args['destroyFromIfInState']! }),
    })
  }
  const refused = { ...(result['notCreated'] as Record<string, SetError> | null), ...notCreated }
  return {
    fromAccountId: from.account.id,
    accountId: method.account.id,
    oldState: result['oldState']!,
    newState: result['newState']!,
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
  /** Objects to create: the original's properties, and what the client wants otherwise (RFC 8620 5.4). */
  readonly create: { readonly [creationId: string]: JsonObject }
  readonly presets: ReadonlyMap<string, Prepared>
  readonly notCreated: { readonly [creationId: string]: SetError }
}

async function readOriginals(
  from: MethodContext,
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
): Promise<Originals> {
  const create: { [creationId: string]: JsonObject } = {}
  const notCreated: { [creationId: string]: SetError } = {}
  const presets = new Map<string, Prepared>()
  await from.read(async (reader) =>
    requireState(args['ifFromInState'] as string | null, await stateOf(reader, from.account.number, type.name)),
  )
  for (const [creationId, given] of Object.entries(args['create'] as Record<string, JsonObject>)) {
    const { copySets } = rules
    const fixed = Object.keys(given).filter((name) => name !== 'id' && copySets && !copySets.includes(name))
    const number = objectNumber(from, type, idOf(from, given))
    const original = number === null || fixed.length > 0 ? null : await readOriginal(from, method, type, rules, number)
    if (!original) {
      const error =
        fixed.length > 0 ? invalidProperties(fixed, 'A copy cannot have it otherwise.') : setError('notFound')
      setOwn(notCreated, creationId, error)
      continue
    }
    setOwn(create, creationId, { ...original.input, ...withoutId(given) })
    if ('prepared' in original) presets.set(creationId, { prepared: original.prepared })
  }
  return { create, presets, notCreated }
}

function idOf({ request }: MethodContext, given: JsonObject): string {
  const id = given['id'] as string
  const resolved = request.createdIds.resolveId(id)
  return 'unknown' in resolved ? id : resolved.value
}

function readOriginal(from: MethodContext, method: MethodContext, type: TypeDefinition, rules: Rules, number: number) {
  return rules.prepareCopy ? rules.prepareCopy(from, method, number) : copyProperties(from, type, rules, number)
}

async function copyProperties(from: MethodContext, type: TypeDefinition, rules: Rules, number: number) {
  const object = await from.read(async (reader) => {
    const request = { numbers: [number], properties: Object.keys(type.properties), args: {} }
    return (await rules.load({ method: from, reader }, request)).get(number)
  })
  return object ? { input: copyable(type, plain(object) as JsonObject) } : null
}

function copyable(type: TypeDefinition, original: JsonObject): JsonObject {
  const copy: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(original)) if (!type.properties[name]?.serverSet) setOwn(copy, name, value)
  return copy
}

function withoutId({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest
}
