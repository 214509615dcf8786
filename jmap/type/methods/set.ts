/**
 * /set: RFC 8620 5.3, for every type. One unit of work for the call: destroy, update, create. The order frees what is unique (names,
 * roles) before it is taken anew; what refers to a record that this very call creates waits until that is there. A record that is
 * refused leaves no trace, as rules check before they write.
 */
import { stateOf } from '../../../storage/change-log.ts'
import { NotLocked } from '../../../storage/not-locked.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { type MethodContext, requireState } from '../../context.ts'
import type { OnceStep } from '../../once.ts'
import { isCreationReference } from '../../protocol/creation-ids.ts'
import { MethodError, type SetError, setError } from '../../protocol/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import type { TypeDefinition } from '../define-type.ts'
import { p } from '../property.ts'
import type { Canonical, Rules, SetOutcome, WriteContext } from '../rules.ts'
import { objectId, objectNumber } from './get.ts'
import { type KeptOutcome, keptOutcome, recallOutcome } from './kept-outcome.ts'
import { checkCreate, objectOrNull, partition, refersTo, resolvedSoFar, withDiffering } from './set-records.ts'
import { updateAll } from './set-updates.ts'

export const SET_ARGS = {
  ifInState: p.string().nullable().defaults(null),
  create: p
    .creations(p.json<JsonObject>({ type: 'object' }))
    .nullable()
    .defaults(null),
  update: p
    .map(p.json<JsonObject>({ type: 'object' }))
    .nullable()
    .defaults(null),
  destroy: p.list(p.string()).nullable().defaults(null),
}

/** Each try loses to another call that has come through. */
const COMMIT_TRIES = 5

export type Prepared = { readonly prepared: unknown } | { readonly error: SetError }
export type Refused = Map<string, SetError>

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

/** A record to create, or a patch, by its key in the arguments. */
export type Entry = readonly [key: string, object: Canonical]

export class SetCall {
  readonly method: MethodContext
  readonly type: TypeDefinition
  readonly rules: Rules
  readonly args: JsonObject
  readonly #create: readonly Entry[]
  readonly #update: readonly Entry[]
  readonly #destroy: readonly string[]
  readonly #preparedCreates: Map<string, Prepared>
  readonly preparedUpdates = new Map<string, Prepared>()
  notes = new Map<string, unknown>()
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
    const canonical = (objects: Json | undefined): Entry[] =>
      Object.entries((objects ?? {}) as Record<string, JsonObject>).map(([key, value]) => [
        key,
        rules.canonical?.(value) ?? { value, differing: [] },
      ])
    this.#create = canonical(args['create'])
    this.#update = canonical(args['update'])
    this.#destroy = [...new Set((args['destroy'] ?? []) as string[])]
    const { maxObjectsInSet } = method.services.limits
    if (this.#create.length + this.#update.length + this.#destroy.length > maxObjectsInSet)
      throw new MethodError('requestTooLarge', `At most ${maxObjectsInSet} objects.`)
  }

  get isWhole(): boolean {
    return this.notCreated.size + this.notUpdated.size + this.notDestroyed.size === 0
  }

  get outcome(): SetOutcome {
    const { args, created, updated, destroyed } = this
    return { args, created, updated, destroyed, notes: this.notes }
  }

  /** Parsing, hashing, writing of blobs: nothing that needs the account's lock. */
  async prepare(): Promise<void> {
    const { rules, method } = this
    for (const [creationId, { value }] of rules.prepareCreate ? this.#create : []) {
      if (this.#preparedCreates.has(creationId)) continue
      const resolved = resolvedSoFar(this.type, method.request.createdIds, value)
      // Rules are given right types only; references to what is not there yet are judged when the record is created.
      const checked = checkCreate(this.type, rules, resolved)
      const prepared = 'error' in checked ? checked : await rules.prepareCreate!(method, checked.value)
      this.#preparedCreates.set(creationId, prepared)
    }
    if (rules.prepareUpdate)
      for (const [id, { value }] of this.#update) this.preparedUpdates.set(id, await rules.prepareUpdate(method, value))
  }

  async commit(): Promise<{ oldState: string; newState: string }> {
    const once = this.method.request.once?.next()
    for (let tries = 1; ; tries++) {
      try {
        return await this.#commitOnce(once)
      } catch (error) {
        // Between the look for the accounts and their locks another call has changed what leads to them.
        if (!(error instanceof NotLocked) || tries === COMMIT_TRIES) throw error
      }
    }
  }

  async #commitOnce(once: OnceStep | undefined): Promise<{ oldState: string; newState: string }> {
    const { method, type, rules, args } = this
    const account = method.account.number
    const others = (await rules.accountsOf?.(method, args)) ?? []
    let unit: AccountUnit | undefined
    const oldState = await method.services.store.write([account, ...others], async (work) => {
      this.#startAnew()
      unit = work.account(account)
      const write: WriteContext = { method, reader: unit, unit, work, args, notes: this.notes }
      const state = await stateOf(unit, account, type.name)
      const done = await once?.recall<KeptOutcome>(unit)
      if (done) {
        recallOutcome(this, done)
        return state
      }
      requireState(args['ifInState'] as string | null, state)
      await this.#runAll(write)
      await rules.finish?.(write, this)
      await once?.keep(unit, keptOutcome(this))
      return state
    })
    for (const [creationId, object] of this.created) method.request.createdIds.add(creationId, object['id'] as string)
    return { oldState: String(oldState), newState: String(unit!.committedState(type.name) ?? oldState) }
  }

  /** A unit of work may run again. */
  #startAnew(): void {
    this.notes = new Map()
    this.created = new Map()
    this.updated = new Map()
    this.destroyed = []
    this.notCreated = new Map()
    this.notUpdated = new Map()
    this.notDestroyed = new Map()
  }

  /** RFC 8620 5.3: creates come before the updates and destroys of the same call that name their creation ids. */
  async #runAll(write: WriteContext): Promise<void> {
    const names = new Set(this.#create.map(([creationId]) => creationId))
    const isNew = (id: string) => isCreationReference(id) && names.has(id.slice(1))
    const [updateLater, updateNow] = partition(
      this.#update,
      ([id, { value }]) => isNew(id) || refersTo(this.type, value, names),
    )
    const [destroyLater, destroyNow] = partition(this.#destroy, isNew)
    await this.#destroyAll(write, destroyNow)
    await updateAll(this, write, updateNow, [])
    await this.#createAll(write)
    await updateAll(this, write, updateLater, destroyLater)
    await this.#destroyAll(write, destroyLater)
  }

  /** Tries anew what was refused as long as others go, so that the order of the ids does not matter (a parent, then its child). */
  async #destroyAll(write: WriteContext, ids: readonly string[]): Promise<void> {
    for (let waiting = ids; waiting.length > 0; ) {
      const refused: Refused = new Map()
      for (const given of waiting) {
        const id = this.resolve(given)
        const number = objectNumber(this.method, this.type, id)
        const error =
          number === null || !this.rules.destroy ? setError('notFound') : await this.rules.destroy(write, number)
        if (error) refused.set(given, error)
        else if (!this.destroyed.includes(id)) this.destroyed.push(id)
      }
      const stuck = refused.size === waiting.length
      if (stuck) for (const [given, error] of refused) this.notDestroyed.set(given, error)
      waiting = stuck ? [] : [...refused.keys()]
    }
  }

  async #createAll(write: WriteContext): Promise<void> {
    const ids = this.method.request.createdIds
    // A record may refer to another of this call, whatever their order in the map: those wait for a later round.
    let waiting = this.#create
    while (waiting.length > 0) {
      const names = new Set(waiting.map(([creationId]) => creationId))
      const [later, now] = partition(waiting, ([own, { value }]) => refersTo(this.type, value, names, own))
      // Those that wait for each other are refused.
      const isStuck = now.length === 0
      for (const [creationId, input] of isStuck ? later : now) {
        const outcome = await this.#createOne(write, creationId, input.value)
        if ('error' in outcome) {
          this.notCreated.set(creationId, outcome.error)
          continue
        }
        const { number, serverSet } = outcome.created
        const id = objectId(this.method, this.type, number)
        ids.add(creationId, id)
        this.created.set(creationId, { id, ...withDiffering(serverSet, input, input.value) })
      }
      waiting = isStuck ? [] : later
    }
  }

  async #createOne(write: WriteContext, creationId: string, input: JsonObject) {
    const { type, rules, method } = this
    // RFC 8620 5.3: there is one already, whatever the new one would be.
    if (type.idKind === 'singleton') return { error: setError('singleton') }
    if (!rules.create) return { error: setError('forbidden') }
    const prepared = this.#preparedCreates.get(creationId)
    if (prepared && 'error' in prepared) return prepared
    const resolved = method.request.createdIds.resolveProperties(input, (name) => type.properties[name]?.idPlace)
    if ('error' in resolved) return resolved
    const checked = checkCreate(type, rules, resolved.value)
    if ('error' in checked) return checked
    return rules.create(write, checked.value, prepared?.prepared)
  }

  /** An id, or what a creation id means so far. */
  resolve(given: string): string {
    const resolved = this.method.request.createdIds.resolveId(given)
    return 'unknown' in resolved ? given : resolved.value
  }
}
