/** /get: RFC 8620 5.1, for every type. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { MAX_PROPERTIES_IN_GET } from '../../../server/base/limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import type { JsonText, ResponseArguments } from '../../protocol/json-text.ts'
import type { MethodContext } from '../context.ts'
import { propertyOf, type TypeDefinition } from '../define-type.ts'
import type { Handlers, ReadContext } from '../handlers.ts'
import { objectNumber } from '../object-id.ts'
import { type ArgumentsOf, type PropertySpec, p } from '../property.ts'

export const GET_ARGS = {
  ids: p.list(p.string()).nullable().defaults(null),
  properties: p.list(p.string()).nullable().defaults(null),
}

export async function runGet(
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  args: ArgumentsOf<typeof GET_ARGS>,
): Promise<ResponseArguments> {
  const { ids } = args
  const properties = selectProperties(method, type, handlers, args.properties)
  handlers.checkGet?.(args, properties)
  const { maxObjectsInGet } = method.services.limits
  if (ids && ids.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} ids.`)
  return method.read(async (reader) => {
    const read: ReadContext = { method, reader }
    const state = String(await stateOf(reader, method.account.number, type.name))
    if (!ids && handlers.loadAll) {
      const all = await handlers.loadAll(read, { properties, args }, maxObjectsInGet + 1)
      requireFew(all.size, maxObjectsInGet)
      return { accountId: method.account.id, state, list: [...all.values()], notFound: [] }
    }
    const wanted = ids ? decodeIds(method, type, ids) : await allObjects(read, handlers, maxObjectsInGet)
    const numbers = [...new Set([...wanted.values()].filter((number) => number !== null))]
    const found = numbers.length > 0 ? await handlers.load(read, { numbers, properties, args }) : new Map()
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

/** RFC 8620 5.1: `id` is always returned; an unknown property refuses the call. */
export function selectProperties(
  method: MethodContext,
  type: TypeDefinition,
  handlers: Handlers,
  asked: readonly string[] | null,
): readonly string[] {
  if (!asked) return type.defaultProperties
  if (asked.length > MAX_PROPERTIES_IN_GET)
    throw invalidArguments(`At most ${MAX_PROPERTIES_IN_GET} properties.`, ['properties'])
  for (const name of asked) {
    const property = propertyOf(type, name)
    const isKnown = property ? !property.writeOnly && isOpted(method, property) : handlers.acceptsProperty?.(name)
    if (!isKnown) throw invalidArguments(`${type.name} has no property '${name.slice(0, 100)}'.`, ['properties'])
  }
  return asked.includes('id') ? [...new Set(asked)] : ['id', ...new Set(asked)]
}

/** RFC 8620 1.8: an extension that the request does not use does not exist for it. */
export function isOpted({ request }: MethodContext, { capability }: PropertySpec): boolean {
  return capability === undefined || request.using.has(capability)
}

/** In the requested order, each id once; null for text that is not an id of this account. */
function decodeIds(method: MethodContext, type: TypeDefinition, ids: readonly string[]): Map<string, number | null> {
  const wanted = new Map<string, number | null>()
  for (const given of ids) {
    const id = method.resolveId(given)
    wanted.set(id, objectNumber(method, type, id))
  }
  return wanted
}

async function allObjects(read: ReadContext, handlers: Handlers, limit: number): Promise<Map<string, number>> {
  const numbers = await handlers.all(read, limit + 1)
  requireFew(numbers.length, limit)
  return new Map(numbers.map((number) => [String(number), number]))
}

function requireFew(count: number, limit: number): void {
  if (count > limit) throw new MethodError('requestTooLarge', `There are more than ${limit} objects: ask for ids.`)
}

/** Only the requested properties, in their order. @param object as its type declares it, so that every member is JSON */
export function pick(object: object, properties: readonly string[]): JsonObject {
  const members = object as { readonly [name: string]: Json | undefined }
  const picked: { [name: string]: Json } = {}
  for (const name of properties) {
    const value = members[name]
    if (value !== undefined) picked[name] = value
  }
  return picked
}
