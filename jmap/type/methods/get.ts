/** /get: RFC 8620 5.1, for every type. */
import { MAX_PROPERTIES_IN_GET } from '../../../server/base/limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import type { MethodContext } from '../../context.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import type { JsonText, ResponseArguments } from '../../protocol/json-text.ts'
import { SINGLETON, type TypeDefinition } from '../define-type.ts'
import { type PropertySpec, p } from '../property.ts'
import type { ReadContext, Rules } from '../rules.ts'

export const GET_ARGS = {
  ids: p.list(p.string()).nullable().defaults(null),
  properties: p.list(p.string()).nullable().defaults(null),
}

export async function runGet(
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
): Promise<ResponseArguments> {
  const ids = args['ids'] as readonly string[] | null
  const properties = selectProperties(method, type, rules, args['properties'] as readonly string[] | null)
  rules.checkGet?.(args, properties)
  const { maxObjectsInGet } = method.services.limits
  if (ids && ids.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} ids.`)
  return method.read(async (reader) => {
    const read: ReadContext = { method, reader }
    const state = String(await stateOf(reader, method.account.number, type.name))
    if (!ids && rules.loadAll) {
      const all = await rules.loadAll(read, { properties, args }, maxObjectsInGet + 1)
      requireFew(all.size, maxObjectsInGet)
      return { accountId: method.account.id, state, list: [...all.values()], notFound: [] }
    }
    const wanted = ids ? decodeIds(method, type, ids) : await allObjects(read, rules, maxObjectsInGet)
    const numbers = [...new Set([...wanted.values()].filter((number) => number !== null))]
    const found = numbers.length > 0 ? await rules.load(read, { numbers, properties, args }) : new Map()
    const list: (Json | JsonText)[] = []
    const notFound: string[] = []
    for (const [id, number] of wanted) {
      const object = number === null ? undefined : found.get(number)
      if (object) list.push(object)
      else notFound.push(id)
    }
    return { accountId: method.account.id, state, list, notFound }
  })
}

/** RFC 8620 5.1: `id` is always returned; unknown properties refuse the call. */
function selectProperties(
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  asked: readonly string[] | null,
): readonly string[] {
  if (!asked) return type.defaultProperties
  if (asked.length > MAX_PROPERTIES_IN_GET)
    throw invalidArguments(`At most ${MAX_PROPERTIES_IN_GET} properties.`, ['properties'])
  for (const name of asked) {
    const known = Object.hasOwn(type.properties, name)
      ? !type.properties[name]!.writeOnly && isOpted(method, type.properties[name]!)
      : rules.acceptsProperty?.(name)
    if (!known) throw invalidArguments(`${type.name} has no property '${name.slice(0, 100)}'.`, ['properties'])
  }
  return asked.includes('id') ? [...new Set(asked)] : ['id', ...new Set(asked)]
}

/** RFC 8620 1.8: what a client has not opted into is as if it were not there. */
export function isOpted({ request }: MethodContext, { capability }: PropertySpec): boolean {
  return capability === undefined || request.using.has(capability)
}

/** In the order asked for, each id once; null for what cannot be an id of this account. */
function decodeIds(method: MethodContext, type: TypeDefinition, ids: readonly string[]): Map<string, number | null> {
  const wanted = new Map<string, number | null>()
  for (const given of ids) {
    const resolved = method.request.createdIds.resolveId(given)
    const id = 'unknown' in resolved ? given : resolved.value
    wanted.set(id, objectNumber(method, type, id))
  }
  return wanted
}

/** The number behind an id of this type in this account. A MailAccount's id is that of its account (decision D29). */
export function objectNumber(method: MethodContext, type: TypeDefinition, id: string): number | null {
  if (type.idKind === 'singleton') return id === 'singleton' ? SINGLETON : null
  if (type.idKind !== 'MailAccount' && type.idKind !== 'Organization') return method.number(type.idKind, id)
  const decoded = method.services.ids.decode(type.idKind, id)
  return decoded && decoded.object === 0 && decoded.part === 0 ? decoded.account : null
}

export function objectId(method: MethodContext, type: TypeDefinition, number: number): string {
  if (type.idKind === 'singleton') return 'singleton'
  if (type.idKind !== 'MailAccount' && type.idKind !== 'Organization') return method.id(type.idKind, number)
  return method.services.ids.encode(type.idKind, number)
}

async function allObjects(read: ReadContext, rules: Rules, limit: number): Promise<Map<string, number>> {
  const numbers = await rules.all(read, limit + 1)
  requireFew(numbers.length, limit)
  return new Map(numbers.map((number) => [String(number), number]))
}

function requireFew(count: number, limit: number): void {
  if (count > limit) throw new MethodError('requestTooLarge', `There are more than ${limit} objects: ask for ids.`)
}

/** Only the properties asked for, in their order. */
export function pick(object: JsonObject, properties: readonly string[]): JsonObject {
  const picked: { [name: string]: Json } = {}
  for (const name of properties) {
    const value = object[name]
    if (value !== undefined) picked[name] = value
  }
  return picked
}
