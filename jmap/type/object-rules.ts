/**
 * Rules of small types: objects kept as one JSON text each, filtered and sorted in memory. A type adds its own checks and effects
 * through hooks that see whole objects.
 */
import { deleteObject, findObject, insertObject, listObjects, updateObject } from '../../storage/repos/objects.ts'
import { fold } from '../../storage/search/tokens.ts'
import type { MethodContext } from '../context.ts'
import { type SetError, setError } from '../protocol/errors.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { jsonEqual } from '../protocol/json-object.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { TypeDefinition } from './define-type.ts'
import { passesFilter } from './filter.ts'
import { objectId, objectNumber, pick } from './methods/get.ts'
import type { QueryResult, Rules, UpdateChange, WriteContext } from './rules.ts'

export interface ObjectHooks {
  readonly prepareCreate?: Rules['prepareCreate']
  readonly prepareUpdate?: Rules['prepareUpdate']
  /** Inside, before anything is written. Returns what to store (without id) and what the client did not know; or a refusal. */
  create?(
    write: WriteContext,
    input: JsonObject,
    prepared: unknown,
  ): Promise<{ stored: JsonObject; serverSet?: JsonObject; number?: number } | { error: SetError }>
  /** Returns what to store, and what changed that the client did not ask for. */
  update?(
    write: WriteContext,
    number: number,
    change: UpdateChange,
  ): Promise<{ stored: JsonObject; updated?: JsonObject } | { error: SetError }>
  /** Inside, before the object goes: a refusal, or effects elsewhere. */
  destroy?(write: WriteContext, number: number, stored: JsonObject): Promise<SetError | null>
  /** Whether this principal may know of an object; by default of all. */
  readonly mayKnow?: Rules['mayKnow']
  /** Computed properties, added when an object is read. */
  present?(method: MethodContext, stored: JsonObject): JsonObject
  /** A filter condition of the type's own. */
  matches?(method: MethodContext, name: string, value: Json, object: JsonObject, number: number): boolean
  readonly finish?: Rules['finish']
  readonly accountsOf?: Rules['accountsOf']
}

/** `createdAt` and `updatedAt` are kept for types that declare them. */
export function objectRules(type: TypeDefinition, hooks: ObjectHooks = {}): Rules {
  const writeOnly = Object.keys(type.properties).filter((name) => type.properties[name]!.writeOnly)
  const present = (method: MethodContext, number: number, stored: JsonObject): JsonObject => {
    const object: { [name: string]: Json } = {
      id: objectId(method, type, number),
      ...stored,
      ...hooks.present?.(method, stored),
    }
    // What the definition does not name is the rules' own, such as the hash of a key.
    for (const name of Object.keys(object))
      if (!Object.hasOwn(type.properties, name) || writeOnly.includes(name)) delete object[name]
    return object
  }
  const mayKnow = (method: MethodContext, number: number) => hooks.mayKnow?.(method, number) ?? true
  return {
    mayKnow,
    ...(hooks.prepareCreate && { prepareCreate: hooks.prepareCreate }),
    ...(hooks.prepareUpdate && { prepareUpdate: hooks.prepareUpdate }),
    ...(hooks.finish && { finish: hooks.finish }),
    ...(hooks.accountsOf && { accountsOf: hooks.accountsOf }),

    async all({ method, reader }, limit) {
      const objects = await listObjects(reader, method.account.number, type.name)
      return objects
        .map(({ id }) => id)
        .filter((id) => mayKnow(method, id))
        .slice(0, limit)
    },

    async loadAll({ method, reader }, { properties }, limit) {
      const objects = await listObjects(reader, method.account.number, type.name)
      const known = objects.filter(({ id }) => mayKnow(method, id)).slice(0, limit)
      return new Map(known.map(({ id, data }) => [id, pick(present(method, id, data as JsonObject), properties)]))
    },

    async load({ method, reader }, { numbers, properties }) {
      const found = new Map<number, JsonObject>()
      for (const number of numbers.filter((one) => mayKnow(method, one))) {
        const object = await findObject(reader, method.account.number, type.name, number)
        if (object) found.set(number, pick(present(method, number, object.data as JsonObject), properties))
      }
      return found
    },

    async query({ method, reader }, { filter, sort }) {
      const objects = (await listObjects(reader, method.account.number, type.name)).map(({ id, data }) => ({
        number: id,
        object: present(method, id, data as JsonObject),
      }))
      const kept = objects.filter(
        ({ object, number }) => mayKnow(method, number) && matches(method, type, hooks, filter, object, number),
      )
      // Creation order, newest first, where nothing else decides: numbers grow with every object.
      kept.sort((a, b) => {
        for (const { property, isAscending } of sort) {
          const order = compare(a.object[property], b.object[property])
          if (order !== 0) return isAscending ? order : -order
        }
        return b.number - a.number
      })
      return listResult(kept.map(({ number }) => number))
    },

    async create(write, input, prepared) {
      const result = hooks.create ? await hooks.create(write, input, prepared) : { stored: input }
      if ('error' in result) return result
      const { unit } = write
      const number = ('number' in result ? result.number : undefined) ?? unit.nextObject()
      const dates = stamps(type, formatUTCDate(unit.now), true)
      const stored = { ...withoutSecrets(result.stored, writeOnly), ...dates }
      await insertObject(unit, unit.account, type.name, { id: number, data: stored }, unit.now)
      unit.change(type.name, number, 'c')
      const serverSet = unknownToClient(input, present(write.method, number, stored), type)
      return { created: { number, serverSet: { ...serverSet, ...('serverSet' in result && result.serverSet) } } }
    },

    async update(write, number, change) {
      const { unit } = write
      // RFC 8620 5.3: an update that changes nothing is no error, and no change.
      if (change.changed.length === 0) return { updated: null }
      const { id: _id, ...next } = change.next
      const result = hooks.update ? await hooks.update(write, number, change) : { stored: next as JsonObject }
      if ('error' in result) return result
      const dates = stamps(type, formatUTCDate(unit.now), false)
      const { id: _own, ...rest } = result.stored
      const kept = await findObject(unit, unit.account, type.name, number)
      const internal = Object.entries(kept?.data ?? {}).filter(([name]) => !Object.hasOwn(type.properties, name))
      await updateObject(unit, unit.account, type.name, {
        id: number,
        data: { ...Object.fromEntries(internal), ...withoutSecrets(rest, writeOnly), ...dates },
      })
      unit.change(type.name, number, 'u', [...change.changed, ...Object.keys(dates)])
      const updated = { ...dates, ...('updated' in result && result.updated) }
      return { updated: Object.keys(updated).length > 0 ? updated : null }
    },

    async destroy(write, number) {
      const { unit } = write
      const found = mayKnow(write.method, number) && (await findObject(unit, unit.account, type.name, number))
      if (!found) return setError('notFound')
      const error = await hooks.destroy?.(write, number, found.data as JsonObject)
      if (error) return error
      await deleteObject(unit, unit.account, type.name, number)
      unit.change(type.name, number, 'd')
      return null
    },
  }
}

/** A result list that is known as a whole. */
export function listResult(numbers: readonly number[]): QueryResult {
  return {
    count: async () => numbers.length,
    slice: async (position, limit) => numbers.slice(position, position + limit),
    async indexesOf(wanted) {
      const indexes = new Map(numbers.map((number, index) => [number, index]))
      return new Map(wanted.flatMap((number) => (indexes.has(number) ? [[number, indexes.get(number)!]] : [])))
    },
  }
}

function matches(
  method: MethodContext,
  type: TypeDefinition,
  hooks: ObjectHooks,
  filter: Json,
  object: JsonObject,
  number: number,
): boolean {
  return passesFilter(filter, (name, value) => {
    if (name === 'beforeId') return (objectNumber(method, type, value as string) ?? 0) > number
    if (hooks.matches) return hooks.matches(method, name, value, object, number)
    return jsonEqual(object[name], value)
  })
}

function compare(a: Json | undefined, b: Json | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [x, y] = [String(a ?? ''), String(b ?? '')]
  // RFC 8620 5.5: without regard to case, in every script.
  return compareText(fold(x), fold(y)) || compareText(x, y)
}

function compareText(x: string, y: string): number {
  return x < y ? -1 : x > y ? 1 : 0
}

function stamps(type: TypeDefinition, now: string, created: boolean): JsonObject {
  return {
    ...(created && type.properties['createdAt'] && { createdAt: now }),
    ...(type.properties['updatedAt'] && { updatedAt: now }),
  }
}

function withoutSecrets(object: JsonObject, writeOnly: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !writeOnly.includes(name)))
}

/** RFC 8620 5.3: what the client did not send, or sent differently. */
function unknownToClient(input: JsonObject, object: JsonObject, type: TypeDefinition): JsonObject {
  const told: { [name: string]: Json } = {}
  for (const [name, value] of Object.entries(object)) {
    if (name === 'id' || type.properties[name]?.notByDefault) continue
    if (!jsonEqual(input[name], value)) told[name] = value
  }
  return told
}
