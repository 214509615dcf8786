/**
 * Handlers of types in the generic store: one JSON text per object, filtered and sorted in memory. A type adds checks and effects by
 * hooks that get whole objects.
 */
import type { Json, JsonObject } from '../../server/base/json.ts'
import { insertObject, updateObject } from '../../storage/repos/objects.ts'
import { fold } from '../../storage/search/tokens.ts'
import { type SetError, setError } from '../protocol/errors.ts'
import { jsonEqual } from '../protocol/json-object.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext } from './context.ts'
import type { TypeDefinition, TypeSpec } from './define-type.ts'
import type {
  AtCreationOf,
  Comparator,
  ComputedOf,
  CreateOf,
  InternalOf,
  StoredOf,
  StoredPropertiesOf,
} from './derived.ts'
import { passes } from './filter.ts'
import type { Handlers, QueryResult, Refusal, UpdateChange, WriteContext } from './handlers.ts'
import { pick } from './methods/get.ts'
import { objectId, objectNumber } from './object-id.ts'
import { deleteStored, findStored, listStored, type Stored } from './object-store.ts'

/** Set for types that declare them; hooks do not set them. */
type Stamps = 'createdAt' | 'updatedAt'

export interface ObjectHooks<D extends TypeSpec, P, U>
  extends Pick<Handlers<D, P, U>, 'prepareCreate' | 'prepareUpdate' | 'mayKnow' | 'finish' | 'accountsOf'> {
  /** Inside, before anything is written. Returns what to store and what the client does not know, or a refusal. */
  create?(
    write: WriteContext<D>,
    input: CreateOf<D>,
    prepared: P,
  ): Promise<{ stored: Omit<StoredOf<D>, Stamps>; serverSet?: JsonObject & AtCreationOf<D>; number?: number } | Refusal>
  /** Inside. Returns what to store (other internal data stays), and the changes that the client did not request. */
  update?(
    write: WriteContext<D>,
    number: number,
    change: UpdateChange<D, U>,
  ): Promise<{ stored: Omit<StoredPropertiesOf<D>, Stamps> & Partial<InternalOf<D>>; updated?: JsonObject } | Refusal>
  /** Inside, before the object is deleted: returns a refusal, or makes changes elsewhere. */
  destroy?(write: WriteContext<D>, number: number, stored: StoredOf<D>): Promise<SetError | null>
  /** Whether the principal may know the object. For types where `mayKnow` cannot tell from the number; /changes still lists the number. */
  maySee?(method: MethodContext, stored: StoredOf<D>): boolean
  /** The computed properties. */
  present?(method: MethodContext, stored: StoredOf<D>): ComputedOf<D>
}

export function objectHandlers<D extends TypeDefinition, P = undefined, U = P>(
  type: D,
  hooks: ObjectHooks<D, P, U> = {},
): Handlers<D, P, U> {
  const properties = Object.entries(type.properties)
  const readable = properties.filter(([, { writeOnly }]) => !writeOnly).map(([name]) => name)
  const kept = properties.filter(([name, { writeOnly, computed }]) => name !== 'id' && !writeOnly && !computed)
  const keptNames = new Set(kept.map(([name]) => name))
  if (!hooks.present && properties.some(([, { computed }]) => computed))
    throw new TypeError(`${type.name} has computed properties and nothing computes them`)
  const present = (method: MethodContext, number: number, stored: StoredOf<D>): JsonObject =>
    pick({ ...stored, ...hooks.present?.(method, stored), id: objectId(method, type, number) }, readable)
  const mayKnow = (method: MethodContext, number: number) => hooks.mayKnow?.(method, number) ?? true
  const isSeen = (method: MethodContext, { id, data }: Stored<D>) =>
    mayKnow(method, id) && (hooks.maySee?.(method, data) ?? true)
  /** The stored data: declared properties that are stored, internal data, stamps. */
  const toStore = (stored: object, now: number, isNew: boolean) => {
    const stamps: JsonObject = {
      ...(isNew && keptNames.has('createdAt') && { createdAt: formatUTCDate(now) }),
      ...(keptNames.has('updatedAt') && { updatedAt: formatUTCDate(now) }),
    }
    const own = Object.entries(stored).filter(([name]) => keptNames.has(name) || !Object.hasOwn(type.properties, name))
    return { stamps, data: { ...Object.fromEntries(own), ...stamps } }
  }
  return {
    mayKnow,
    ...(hooks.prepareCreate && { prepareCreate: hooks.prepareCreate }),
    ...(hooks.prepareUpdate && { prepareUpdate: hooks.prepareUpdate }),
    ...(hooks.finish && { finish: hooks.finish }),
    ...(hooks.accountsOf && { accountsOf: hooks.accountsOf }),

    async all({ method, reader }, limit) {
      const objects = await listStored(reader, method.account.number, type)
      return objects
        .filter((object) => isSeen(method, object))
        .map(({ id }) => id)
        .slice(0, limit)
    },

    async loadAll({ method, reader }, request, limit) {
      const objects = await listStored(reader, method.account.number, type)
      const known = objects.filter((object) => isSeen(method, object)).slice(0, limit)
      return new Map(known.map(({ id, data }) => [id, pick(present(method, id, data), request.properties)]))
    },

    async load({ method, reader }, request) {
      const found = new Map<number, JsonObject>()
      for (const number of request.numbers.filter((one) => mayKnow(method, one))) {
        const object = await findStored(reader, method.account.number, type, number)
        if (object && isSeen(method, object))
          found.set(number, pick(present(method, number, object.data), request.properties))
      }
      return found
    },

    async query({ method, reader }, { filter, sort }) {
      const all = await listStored(reader, method.account.number, type)
      const seen = all.filter((object) => isSeen(method, object))
      const unseen = new Set(all.filter(({ data }) => hooks.maySee?.(method, data) === false).map(({ id }) => id))
      const objects = seen.map(({ id, data }) => ({ number: id, object: present(method, id, data) }))
      const found = objects.filter(({ object, number }) =>
        passes(filter, (condition) => meets({ method, type, unseen }, condition, object, number)),
      )
      // Default order: newest first. Numbers grow with every object.
      found.sort((a, b) => compareObjects(a.object, b.object, sort) || b.number - a.number)
      return listResult(found.map(({ number }) => number))
    },

    async create(write, input, prepared) {
      const result = hooks.create ? await hooks.create(write, input, prepared) : { stored: input }
      if ('error' in result) return result
      const { unit, method } = write
      const number = ('number' in result ? result.number : undefined) ?? unit.nextObject()
      const { data } = toStore(result.stored, unit.now, true)
      await insertObject(unit, unit.account, type.name, { id: number, data }, unit.now)
      unit.change(type.name, number, 'c')
      const serverSet = toldOfNew(present(method, number, data as StoredOf<D>), type)
      return { created: { number, serverSet: { ...serverSet, ...('serverSet' in result && result.serverSet) } } }
    },

    async update(write, number, change) {
      const { unit } = write
      // RFC 8620 5.3: an update without a change is no error and no change.
      if (change.changed.length === 0) return { updated: null }
      const result = hooks.update ? await hooks.update(write, number, change) : { stored: change.next }
      if ('error' in result) return result
      const { stamps, data } = toStore(result.stored, unit.now, false)
      const before = (await findStored(unit, unit.account, type, number))?.data ?? {}
      const internal = Object.entries(before).filter(([name]) => !Object.hasOwn(type.properties, name))
      await updateObject(unit, unit.account, type.name, {
        id: number,
        data: { ...Object.fromEntries(internal), ...data },
      })
      unit.change(type.name, number, 'u', [...change.changed, ...Object.keys(stamps)])
      const updated = { ...stamps, ...('updated' in result && result.updated) }
      return { updated: Object.keys(updated).length > 0 ? updated : null }
    },

    async destroy(write, number) {
      const { unit } = write
      const found = mayKnow(write.method, number) ? await findStored(unit, unit.account, type, number) : null
      if (!found || !isSeen(write.method, found)) return setError('notFound')
      const error = await hooks.destroy?.(write, number, found.data)
      if (error) return error
      await deleteStored(unit, type, number)
      return null
    },
  }
}

/** A result list that is complete. */
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

interface Known {
  readonly method: MethodContext
  readonly type: TypeSpec
  /** Objects that the principal may not know: their ids are like those of no object. */
  readonly unseen: ReadonlySet<number>
}

/** A condition compares the property of its name. `beforeId` means objects created before that one. */
function meets({ method, type, unseen }: Known, condition: object, object: JsonObject, number: number): boolean {
  const isBefore = (id: string) => {
    const other = objectNumber(method, type, id)
    return other !== null && !unseen.has(other) && other > number
  }
  return Object.entries(condition).every(([name, value]) =>
    name === 'beforeId' ? isBefore(value) : jsonEqual(object[name], value),
  )
}

function compareObjects(a: JsonObject, b: JsonObject, sort: readonly Comparator[]): number {
  for (const { property, isAscending } of sort) {
    const order = compare(a[property], b[property])
    if (order !== 0) return isAscending ? order : -order
  }
  return 0
}

function compare(a: Json | undefined, b: Json | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [x, y] = [String(a ?? ''), String(b ?? '')]
  // RFC 8620 5.5: case is ignored, in every script.
  return compareText(fold(x), fold(y)) || compareText(x, y)
}

function compareText(x: string, y: string): number {
  return x < y ? -1 : x > y ? 1 : 0
}

function toldOfNew(object: JsonObject, type: TypeSpec): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => name !== 'id' && !type.properties[name]?.notByDefault),
  )
}
