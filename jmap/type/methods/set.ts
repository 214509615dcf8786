/**
 * /set: RFC 8620 5.3, for every type. One unit of work for the call: destroy, update, create. The order frees what is unique (names,
 * roles) before it is taken anew. A record that is refused leaves no trace, as rules check before they write.
 */
import { stateOf } from '../../../storage/change-log.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { type MethodContext, requireState } from '../../context.ts'
import type { Json, JsonObject } from '../../core.ts'
import { type CreationIds, isCreationReference } from '../../protocol/creation-ids.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { getOwn, isObject, jsonEqual, setOwn } from '../../protocol/json-object.ts'
import { plain, type ResponseArguments } from '../../protocol/json-text.ts'
import { applyTree, type PatchTree, splitPatch } from '../../protocol/patch.ts'
import type { TypeDefinition } from '../define-type.ts'
import { p } from '../property.ts'
import type { Rules, SetOutcome, WriteContext } from '../rules.ts'
import { faultOf } from '../validate.ts'
import { objectId, objectNumber } from './get.ts'

export const SET_ARGS = {
  ifInState: p.string().nullable().defaults(null),
  create: p
    .map(p.json<JsonObject>({ type: 'object' }))
    .nullable()
    .defaults(null),
  update: p
    .map(p.json<JsonObject>({ type: 'object' }))
    .nullable()
    .defaults(null),
  destroy: p.list(p.string()).nullable().defaults(null),
}

export type Prepared = { readonly prepared: unknown } | { readonly error: SetError }
type Refused = Map<string, SetError>

/** @param presets what is prepared already, by creation id (/copy) */
export async function runSet(
  method: MethodContext,
  type: TypeDefinition,
  rules: Rules,
  args: JsonObject,
  presets: ReadonlyMap<string, Prepared> = new Map(),
): Promise<ResponseArguments> {
  const call = new SetCall(method, type, rules, args, presets)
  await call.prepare()
  const states = await call.commit()
  await rules.afterSet?.(method, call.outcome)
  const { created, updated, destroyed } = call.outcome
  return {
    accountId: method.account.id,
    ...states,
    created: objectOrNull(created),
    updated: objectOrNull(updated),
    destroyed: destroyed.length > 0 ? destroyed : null,
    notCreated: objectOrNull(call.notCreated),
    notUpdated: objectOrNull(call.notUpdated),
    notDestroyed: objectOrNull(call.notDestroyed),
  }
}

class SetCall {
  readonly method: MethodContext
  readonly type: TypeDefinition
  readonly rules: Rules
  readonly args: JsonObject
  readonly #create: readonly [creationId: string, input: JsonObject][]
  readonly #update: readonly [id: string, patch: JsonObject][]
  readonly #destroy: readonly string[]
  readonly #preparedCreates: Map<string, Prepared>
  readonly #preparedUpdates = new Map<string, Prepared>()
  created = new Map<string, JsonObject>()
  updated = new Map<string, JsonObject | null>()
  destroyed: string[] = []
  notCreated: Refused = new Map()
  notUpdated: Refused = new Map()
  notDestroyed: Refused = new Map()

  constructor(
    method: MethodContext,
    type: TypeDefinition,
    rules: Rules,
    args: JsonObject,
    presets: ReadonlyMap<string, Prepared>,
  ) {
    this.#preparedCreates = new Map(presets)
    this.method = method
    this.type = type
    this.rules = rules
    this.args = args
    this.#create = Object.entries((args['create'] ?? {}) as Record<string, JsonObject>)
    this.#update = Object.entries((args['update'] ?? {}) as Record<string, JsonObject>)
    this.#destroy = [...new Set((args['destroy'] ?? []) as string[])]
    const { maxObjectsInSet } = method.services.limits
    if (this.#create.length + this.#update.length + this.#destroy.length > maxObjectsInSet)
      throw new MethodError('requestTooLarge', `At most ${maxObjectsInSet} objects.`)
  }

  get outcome(): SetOutcome {
    return { args: this.args, created: this.created, updated: this.updated, destroyed: this.destroyed }
  }

  /** Parsing, hashing, writing of blobs: nothing that needs the account's lock. */
  async prepare(): Promise<void> {
    const { rules, method } = this
    for (const [creationId, input] of rules.prepareCreate ? this.#create : []) {
      if (this.#preparedCreates.has(creationId)) continue
      const resolved = resolvedSoFar(this.type, method.request.createdIds, input)
      // Rules are given right types only; references to what is not there yet are judged when the record is created.
      const checked = checkCreate(this.type, rules, resolved)
      const prepared = 'error' in checked ? checked : await rules.prepareCreate!(method, checked.value)
      this.#preparedCreates.set(creationId, prepared)
    }
    if (rules.prepareUpdate)
      for (const [id, patch] of this.#update) this.#preparedUpdates.set(id, await rules.prepareUpdate(method, patch))
  }

  async commit(): Promise<{ oldState: string; newState: string }> {
    const { method, type, rules, args } = this
    const account = method.account.number
    const others = (await rules.accountsOf?.(method, args)) ?? []
    let unit: AccountUnit | undefined
    const oldState = await method.services.store.write([account, ...others], async (work) => {
      // A unit may run again: start from nothing.
      this.created = new Map()
      this.updated = new Map()
      this.destroyed = []
      this.notCreated = new Map()
      this.notUpdated = new Map()
      this.notDestroyed = new Map()
      unit = work.account(account)
      const write: WriteContext = { method, reader: unit, unit, work, args }
      const state = await stateOf(unit, account, type.name)
      requireState(args['ifInState'] as string | null, state)
      await this.#destroyAll(write)
      await this.#updateAll(write)
      await this.#createAll(write)
      await rules.finish?.(write)
      return state
    })
    for (const [creationId, object] of this.created) method.request.createdIds.add(creationId, object['id'] as string)
    return { oldState: String(oldState), newState: String(unit!.committedState(type.name) ?? oldState) }
  }

  async #destroyAll(write: WriteContext): Promise<void> {
    for (const given of this.#destroy) {
      const resolved = this.method.request.createdIds.resolveId(given)
      const id = 'unknown' in resolved ? given : resolved.value
      const number = objectNumber(this.method, this.type, id)
      const error =
        number === null || !this.rules.destroy ? setError('notFound') : await this.rules.destroy(write, number)
      if (error) this.notDestroyed.set(given, error)
      else this.destroyed.push(id)
    }
  }

  async #updateAll(write: WriteContext): Promise<void> {
    const destroyed = new Set(this.destroyed)
    for (const [given, patch] of this.#update) {
      const resolved = this.method.request.createdIds.resolveId(given)
      const id = 'unknown' in resolved ? given : resolved.value
      // RFC 8620 5.3: what this very call destroys cannot be updated.
      const outcome = destroyed.has(id)
        ? { error: setError('willDestroy') }
        : await this.#updateOne(write, given, id, patch)
      if ('error' in outcome) this.notUpdated.set(given, outcome.error)
      else this.updated.set(id, outcome.updated)
    }
  }

  async #updateOne(write: WriteContext, given: string, id: string, patch: JsonObject) {
    const { type, rules, method } = this
    const number = objectNumber(method, type, id)
    if (number === null || !rules.update) return { error: setError('notFound') }
    const prepared = this.#preparedUpdates.get(given)
    if (prepared && 'error' in prepared) return prepared
    const resolved = method.request.createdIds.resolveProperties(patch, (name) => type.properties[name]?.idPlace)
    if ('error' in resolved) return resolved
    const tree = splitPatch(resolved.value)
    if ('error' in tree) return tree
    const unknown = [...tree.properties.keys()].filter((name) => !Object.hasOwn(type.properties, name))
    if (unknown.length > 0) return { error: invalidProperties(unknown, `${type.name} has no such property.`) }
    const reads = new Set([...(rules.updateReads ?? Object.keys(type.properties)), ...tree.properties.keys()])
    const properties = [...reads].filter((name) => !type.properties[name]!.writeOnly)
    const loaded = (await rules.load(write, { numbers: [number], properties, args: {} })).get(number)
    if (!loaded) return { error: setError('notFound') }
    const before = plain(loaded) as JsonObject
    const change = nextObject(type, before, tree.properties)
    if ('error' in change) return change
    return rules.update(write, number, { before, ...change, prepared: prepared?.prepared })
  }

  async #createAll(write: WriteContext): Promise<void> {
    const ids = this.method.request.createdIds
    // A record may refer to another of this call, whatever their order in the map: those wait for a later round.
    let waiting = this.#create
    while (waiting.length > 0) {
      const names = new Set(waiting.map(([creationId]) => creationId))
      const later = waiting.filter(([own, input]) => refersTo(this.type, input, names, own))
      const round = later.length === waiting.length ? waiting : waiting.filter((entry) => !later.includes(entry))
      for (const [creationId, input] of round) {
        const outcome = await this.#createOne(write, creationId, input)
        if ('error' in outcome) {
          this.notCreated.set(creationId, outcome.error)
          continue
        }
        const { number, serverSet } = outcome.created
        const id = objectId(this.method, this.type, number)
        ids.add(creationId, id)
        this.created.set(creationId, { id, ...serverSet })
      }
      waiting = round === waiting ? [] : later
    }
  }

  async #createOne(write: WriteContext, creationId: string, input: JsonObject) {
    const { type, rules, method } = this
    if (!rules.create) return { error: setError('forbidden') }
    const prepared = this.#preparedCreates.get(creationId)
    if (prepared && 'error' in prepared) return prepared
    const resolved = method.request.createdIds.resolveProperties(input, (name) => type.properties[name]?.idPlace)
    if ('error' in resolved) return resolved
    const checked = checkCreate(type, rules, resolved.value)
    if ('error' in checked) return checked
    return rules.create(write, checked.value, prepared?.prepared)
  }
}

/** References that are known already are replaced for the rules' preparation; others stay as they are. */
function resolvedSoFar(type: TypeDefinition, ids: CreationIds, input: JsonObject): JsonObject {
  const resolved = ids.resolveProperties(input, (name) => type.properties[name]?.idPlace)
  return 'error' in resolved ? input : resolved.value
}

function refersTo(type: TypeDefinition, input: JsonObject, names: ReadonlySet<string>, own: string): boolean {
  const means = (id: unknown) =>
    typeof id === 'string' && isCreationReference(id) && names.has(id.slice(1)) && id.slice(1) !== own
  return Object.entries(input).some(([name, value]) => {
    const place = type.properties[name]?.idPlace
    if (place === 'id') return means(value)
    if (place === 'ids') return Array.isArray(value) && value.some(means)
    return place === 'keys' && isObject(value) && Object.keys(value).some(means)
  })
}

/** RFC 8620 5.3: unknown, server-set, ill-typed and missing properties, all named; defaults filled in. */
function checkCreate(
  type: TypeDefinition,
  rules: Rules,
  input: JsonObject,
): { value: JsonObject } | { error: SetError } {
  const wrong: string[] = []
  let reason = ''
  const value: { [name: string]: Json } = {}
  for (const name of Object.keys(input)) {
    const property = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined
    const fault = property
      ? property.serverSet
        ? 'is set by the server'
        : faultOf(property, input[name])
      : rules.acceptsProperty?.(name)
        ? null
        : 'is not a property'
    if (fault) {
      wrong.push(name)
      reason ||= `${name.slice(0, 100)} ${fault}.`
    } else setOwn(value, name, input[name]!)
  }
  for (const [name, property] of Object.entries(type.properties)) {
    if (getOwn(value, name) !== undefined || property.serverSet) continue
    if (property.default !== undefined) setOwn(value, name, property.default)
    else if (!property.optional && !wrong.includes(name)) {
      wrong.push(name)
      reason ||= `${name} is missing.`
    }
  }
  return wrong.length > 0 ? { error: invalidProperties(wrong, reason) } : { value }
}

/** The object after a patch, with what differs. Unchanged server-set and immutable values may be sent back. */
function nextObject(
  type: TypeDefinition,
  before: JsonObject,
  patch: PatchTree,
): { next: JsonObject; changed: readonly string[] } | { error: SetError } {
  const applied = applyTree(before, patch, (path) =>
    path.length === 1 ? (type.properties[path[0]!]?.default ?? null) : undefined,
  )
  if ('error' in applied) return applied
  const next = applied.value as JsonObject
  const wrong: string[] = []
  const changed: string[] = []
  for (const name of patch.keys()) {
    const property = type.properties[name]!
    const value = getOwn(next, name)
    if (!property.writeOnly && jsonEqual(value, getOwn(before, name))) continue
    if (property.serverSet || property.immutable || faultOf(property, value)) wrong.push(name)
    else changed.push(name)
  }
  if (wrong.length > 0) return { error: invalidProperties(wrong) }
  return { next, changed }
}

function objectOrNull<T extends Json>(map: ReadonlyMap<string, T>): { [key: string]: T } | null {
  if (map.size === 0) return null
  const object: { [key: string]: T } = {}
  for (const [key, value] of map) setOwn(object, key, value)
  return object
}
