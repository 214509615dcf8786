/** One call of /set: its records as given, what was prepared for them, and the outcome so far. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { MethodError, type SetError } from '../../protocol/errors.ts'
import type { MethodContext } from '../context.ts'
import type { TypeDefinition } from '../define-type.ts'
import type { Canonical, EndingSet, Handlers, PrepareOutcome } from '../handlers.ts'
import { type ArgumentsOf, p } from '../property.ts'
import { checkCreate, resolvedSoFar } from './set-records.ts'

const record = p.json<JsonObject>({ type: 'object' })

export const SET_ARGS = {
  ifInState: p.string().nullable().defaults(null),
  create: p.creations(record).nullable().defaults(null),
  update: p.map(record).nullable().defaults(null),
  destroy: p.list(p.string()).nullable().defaults(null),
  // Vendor: these properties of created and updated objects are returned in `list`, in the state after this commit.
  returning: p.list(p.string()).nullable().defaults(null),
}

export type Prepared = PrepareOutcome<unknown>
export type Refused = Map<string, SetError>
/** A record to create, or a patch, by its key in the arguments. */
export type Entry = readonly [key: string, object: Canonical]

/** The outcome of a call, as idempotent steps record it. */
interface Outcome {
  readonly created: readonly [string, JsonObject][]
  readonly updated: readonly [string, JsonObject | null][]
  readonly destroyed: readonly string[]
  readonly notCreated: readonly [string, SetError][]
  readonly notUpdated: readonly [string, SetError][]
  readonly notDestroyed: readonly [string, SetError][]
  readonly notes: readonly [number, Json][]
  readonly list: readonly Json[]
}
export type RecordedSet = Outcome

const NOTHING: Outcome = {
  created: [],
  updated: [],
  destroyed: [],
  notCreated: [],
  notUpdated: [],
  notDestroyed: [],
  notes: [],
  list: [],
}

export class SetCall implements EndingSet {
  readonly method: MethodContext
  readonly type: TypeDefinition
  readonly handlers: Handlers
  readonly args: ArgumentsOf<typeof SET_ARGS>
  readonly create: readonly Entry[]
  readonly update: readonly Entry[]
  readonly destroy: readonly string[]
  readonly preparedCreates: Map<string, Prepared>
  readonly preparedUpdates = new Map<string, Prepared>()
  notes = new Map<number, Json>()
  created = new Map<string, JsonObject>()
  updated = new Map<string, JsonObject | null>()
  destroyed: string[] = []
  notCreated: Refused = new Map()
  notUpdated: Refused = new Map()
  notDestroyed: Refused = new Map()
  /** What `returning` asks for. */
  list: readonly Json[] = []

  /** @param presets prepared input by creation id (/copy) */
  constructor(
    method: MethodContext,
    type: TypeDefinition,
    handlers: Handlers,
    args: ArgumentsOf<typeof SET_ARGS>,
    presets: ReadonlyMap<string, Prepared>,
  ) {
    this.preparedCreates = new Map(presets)
    this.method = method
    this.type = type
    this.handlers = handlers
    this.args = args
    const canonical = (objects: { readonly [key: string]: JsonObject } | null): Entry[] =>
      Object.entries(objects ?? {}).map(([key, value]) => [
        key,
        handlers.canonical?.(value) ?? { value, differing: [] },
      ])
    this.create = canonical(args.create)
    this.update = canonical(args.update)
    this.destroy = [...new Set(args.destroy)]
    const { maxObjectsInSet } = method.services.limits
    if (this.create.length + this.update.length + this.destroy.length > maxObjectsInSet)
      throw new MethodError('requestTooLarge', `At most ${maxObjectsInSet} objects.`)
  }

  get isWhole(): boolean {
    return this.notCreated.size + this.notUpdated.size + this.notDestroyed.size === 0
  }

  /** Parsing, hashing and writing of blobs: work that needs no lock of the account. */
  async prepare(): Promise<void> {
    const { handlers, method, type } = this
    for (const [creationId, { value }] of handlers.prepareCreate ? this.create : []) {
      if (this.preparedCreates.has(creationId)) continue
      const resolved = resolvedSoFar(type, method.request.createdIds, value)
      // Handlers get values of the right type only. References to objects that do not exist yet are checked when the record is created.
      const checked = checkCreate(type, handlers, resolved)
      const prepared = 'error' in checked ? checked : await handlers.prepareCreate!(method, checked.value)
      this.preparedCreates.set(creationId, prepared)
    }
    if (handlers.prepareUpdate)
      for (const [id, { value }] of this.update)
        this.preparedUpdates.set(id, await handlers.prepareUpdate(method, value, this.resolve(id)))
  }

  record(): Outcome {
    return {
      created: [...this.created],
      updated: [...this.updated],
      destroyed: this.destroyed,
      notCreated: [...this.notCreated],
      notUpdated: [...this.notUpdated],
      notDestroyed: [...this.notDestroyed],
      notes: [...this.notes],
      list: this.list,
    }
  }

  /** Restores a recorded outcome, or the start: a unit of work may run again. */
  restore(outcome: Outcome = NOTHING): void {
    this.created = new Map(outcome.created)
    this.updated = new Map(outcome.updated)
    this.destroyed = [...outcome.destroyed]
    this.notCreated = new Map(outcome.notCreated)
    this.notUpdated = new Map(outcome.notUpdated)
    this.notDestroyed = new Map(outcome.notDestroyed)
    this.notes = new Map(outcome.notes)
    this.list = outcome.list
  }

  resolve(given: string): string {
    return this.method.resolveId(given)
  }
}
