/** /copy: RFC 8620 5.4: reads in one account, creates in another through the type's own /set, destroys the originals if asked to. */
import { stateOf } from '../../../storage/change-log.ts'
import { MethodContext, requireState } from '../../context.ts'
import type { Json, JsonObject } from '../../core.ts'
import { invalidArguments, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { setOwn } from '../../protocol/json-object.ts'
import { plain, type ResponseArguments } from '../../protocol/json-text.ts'
import type { TypeDefinition } from '../define-type.ts'
import { findAccountRef } from '../method.ts'
import { p } from '../property.ts'
import type { Rules } from '../rules.ts'
import { objectNumber } from './get.ts'
import { runSet } from './set.ts'

export const COPY_ARGS = {
  fromAccountId: p.string(),
  ifFromInState: p.string().nullable().defaults(null),
  ifInState: p.string().nullable().defaults(null),
  create: p.map(p.json<JsonObject>({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } })),
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
  const create: { [creationId: string]: JsonObject } = {}
  const notCreated: { [creationId: string]: SetError } = {}
  const originals = await readOriginals(from, type, rules, args, wanted)
  for (const [creationId, given] of Object.entries(wanted)) {
    const original = originals.get(given['id'] as string)
    if (!original) setOwn(notCreated, creationId, setError('notFound'))
    else setOwn(create, creationId, { ...copyable(type, original), ...withoutId(given) })
  }
  const result = await runSet(method, type, rules, {
    ifInState: args['ifInState'] ?? null,
    create,
    update: null,
    destroy: null,
  })
  const created = result['created'] as Record<string, JsonObject> | null
  if (args['onSuccessDestroyOriginal'] === true && created) {
    const destroy = Object.keys(created).map((creationId) => wanted[creationId]!['id'] as string)
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
  return new MethodContext(method.request, account)
}

async function readOriginals(
  from: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
  wanted: Record<string, JsonObject>,
): Promise<Map<string, JsonObject>> {
  return from.read(async (reader) => {
    requireState(args['ifFromInState'] as string | null, await stateOf(reader, from.account.number, type.name))
    const numbers = new Map<string, number>()
    for (const { id } of Object.values(wanted)) {
      const number = objectNumber(from, type, id as string)
      if (number !== null) numbers.set(id as string, number)
    }
    const found = await rules.load(
      { method: from, reader },
      { numbers: [...new Set(numbers.values())], properties: Object.keys(type.properties), args: {} },
    )
    const originals = new Map<string, JsonObject>()
    for (const [id, number] of numbers) {
      const object = found.get(number)
      if (object) originals.set(id, plain(object) as JsonObject)
    }
    return originals
  })
}

function copyable(type: TypeDefinition, original: JsonObject): JsonObject {
  const copy: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(original)) if (!type.properties[name]?.serverSet) setOwn(copy, name, value)
  return copy
}

function withoutId({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest
}
