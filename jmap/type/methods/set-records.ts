/** Records of a /set before their handlers see them: RFC 8620 5.3, for every type. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { type CreationIds, isCreationReference } from '../../protocol/creation-ids.ts'
import { invalidProperties, type SetError } from '../../protocol/errors.ts'
import { getOwn, isObject, jsonEqual, setOwn } from '../../protocol/json-object.ts'
import { applyTree, type PatchTree } from '../../protocol/patch.ts'
import { parsePatchPath } from '../../protocol/pointer.ts'
import { propertyOf, type TypeDefinition, type TypeSpec } from '../define-type.ts'
import type { CreateOf } from '../derived.ts'
import type { Canonical, Handlers } from '../handlers.ts'
import { faultOf } from '../validate.ts'

/** For preparation: replaces creation ids that already stand for an id; others stay. */
export function resolvedSoFar(type: TypeSpec, ids: CreationIds, input: JsonObject): JsonObject {
  const resolved = ids.resolveProperties(input, (name) => type.properties[name]?.idPlace)
  return 'error' in resolved ? input : resolved.value
}

/** Whether an object or a patch names one of these creation ids, except its own, in place of an id. */
export function refersTo(type: TypeDefinition, input: JsonObject, names: ReadonlySet<string>, own?: string): boolean {
  const means = (id: unknown) =>
    typeof id === 'string' && isCreationReference(id) && names.has(id.slice(1)) && id.slice(1) !== own
  return Object.entries(input).some(([key, value]) => {
    const [name = key, member] = parsePatchPath(key) ?? []
    const place = type.properties[name]?.idPlace
    if (member !== undefined) return place === 'keys' && means(member)
    if (place === 'id') return means(value)
    if (place === 'ids') return Array.isArray(value) && value.some(means)
    return place === 'keys' && isObject(value) && Object.keys(value).some(means)
  })
}

/** The record with its defaults; or an error that names all unknown, server-set, ill-typed and missing properties. */
export function checkCreate<D extends TypeSpec>(
  type: D,
  handlers: Pick<Handlers, 'acceptsProperty'>,
  input: JsonObject,
): { readonly value: CreateOf<D> } | { readonly error: SetError } {
  const wrong: string[] = []
  let reason = ''
  const refuse = (name: string, fault: string) => {
    wrong.push(name)
    reason ||= `${name.slice(0, 100)} ${fault}.`
  }
  const value: { [name: string]: Json } = {}
  for (const name of Object.keys(input)) {
    const fault = propertyFault(type, handlers, name, input[name]!)
    if (fault) refuse(name, fault)
    else setOwn(value, name, input[name]!)
  }
  for (const [name, property] of Object.entries(type.properties)) {
    if (getOwn(value, name) !== undefined || property.serverSet) continue
    if (property.default !== undefined) setOwn(value, name, property.default)
    else if (!property.optional && !wrong.includes(name)) refuse(name, 'is missing')
  }
  // Every member has been checked against its declaration.
  return wrong.length > 0 ? { error: invalidProperties(wrong, reason) } : { value: value as CreateOf<D> }
}

function propertyFault(
  type: TypeSpec,
  handlers: Pick<Handlers, 'acceptsProperty'>,
  name: string,
  value: Json,
): string | null {
  const property = propertyOf(type, name)
  if (!property) return handlers.acceptsProperty?.(name) ? null : 'is not a property'
  // RFC 8620 5.3: the client MUST omit properties that only the server may set.
  return property.serverSet ? 'is set by the server' : faultOf(property, value)
}

/** The object after a patch, and the changed properties. A client may send server-set and immutable values unchanged. */
export function nextObject(
  type: TypeDefinition,
  before: JsonObject,
  patch: PatchTree,
): { readonly next: JsonObject; readonly changed: readonly string[] } | { readonly error: SetError } {
  // RFC 8620 5.3: null sets the default if there is one.
  const applied = applyTree(before, patch, (path) =>
    path.length === 1 ? (propertyOf(type, path[0]!)?.default ?? null) : undefined,
  )
  if ('error' in applied) return applied
  const next = applied.value as JsonObject
  const wrong: string[] = []
  const changed: string[] = []
  let reason = ''
  for (const name of patch.keys()) {
    const property = propertyOf(type, name)!
    const value = getOwn(next, name)
    if (!property.writeOnly && jsonEqual(value, getOwn(before, name))) continue
    const fault = property.serverSet
      ? 'is set by the server'
      : property.immutable
        ? 'cannot change'
        : faultOf(property, value)
    if (fault) {
      wrong.push(name)
      reason ||= `${name} ${fault}.`
    } else changed.push(name)
  }
  return wrong.length > 0 ? { error: invalidProperties(wrong, reason) } : { next, changed }
}

/** RFC 8620 5.3: `created` does not repeat what the client sent. */
export function withoutSent(told: JsonObject, sent: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(told).filter(([name, value]) => !jsonEqual(value, getOwn(sent, name))))
}

/** RFC 8620 5.3: adds properties that are stored in another form than they were sent. */
export function withDiffering(
  told: JsonObject | null,
  { differing }: Canonical,
  stored: JsonObject,
): JsonObject | null {
  if (differing.length === 0) return told
  const all: { [name: string]: Json } = { ...told }
  for (const name of differing) setOwn(all, name, getOwn(stored, name) ?? null)
  return all
}

export function partition<T>(items: readonly T[], test: (item: T) => boolean): [those: T[], others: T[]] {
  const those: T[] = []
  const others: T[] = []
  for (const item of items) (test(item) ? those : others).push(item)
  return [those, others]
}

export function objectOrNull<T extends Json>(map: ReadonlyMap<string, T>): { [key: string]: T } | null {
  if (map.size === 0) return null
  const object: { [key: string]: T } = {}
  for (const [key, value] of map) setOwn(object, key, value)
  return object
}
