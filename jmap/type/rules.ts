/**
 * The behaviour of a type: what the shared methods ask at named moments. A type with a table of its own brings
 * its rules; small types get them from object-rules.ts.
 */
import type { AccountUnit, Reader, Unit } from '../../storage/ports.ts'
import type { MethodContext } from '../context.ts'
import type { SetError } from '../protocol/errors.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import type { JsonText } from '../protocol/json-text.ts'

/** Reading at one moment, in one account. */
export interface ReadContext {
  readonly method: MethodContext
  readonly reader: Reader
}

/** Writing in one account. */
export interface WriteContext extends ReadContext {
  readonly unit: AccountUnit
  /** The whole unit of work, for rules that reach other accounts they named in `accountsOf`. */
  readonly work: Unit
  /** Arguments of the /set beyond the standard ones. */
  readonly args: JsonObject
  /** What rules leave for `afterSet`; empty again when the unit of work runs anew. */
  readonly notes: Map<string, unknown>
}

export interface LoadRequest {
  /** Object numbers. */
  readonly numbers: readonly number[]
  /** Names as asked for, `id` among them. */
  readonly properties: readonly string[]
  readonly args: JsonObject
}

/** A result list that is worked out as far as it is asked for. */
export interface QueryResult {
  count(): Promise<number>
  slice(position: number, limit: number): Promise<number[]>
  /** Where objects stand in the list: those that are in it. */
  indexesOf(numbers: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** RFC 8620 5.6: which objects may have left or entered since, given those that the log names; by default just those. */
  affected?(changed: readonly ChangedObject[], since: number): Promise<{ left: number[]; entered: number[] }>
}

export interface ChangedObject {
  readonly number: number
  readonly kind: 'c' | 'u' | 'd'
}

export interface QueryRequest {
  readonly filter: Json
  readonly sort: readonly Comparator[]
  readonly args: JsonObject
}

/** RFC 8620 5.5 */
export interface Comparator {
  readonly property: string
  readonly isAscending: boolean
  readonly collation?: string
  readonly [extra: string]: Json | undefined
}

export type CreateOutcome =
  | { readonly created: { readonly number: number; readonly serverSet: JsonObject } }
  | { readonly error: SetError }
export type UpdateOutcome = { readonly updated: JsonObject | null } | { readonly error: SetError }

export interface Rules {
  /** Whether a name that the definition lacks is a property (`header:*`), and judged by `load`. */
  acceptsProperty?(name: string): boolean
  /** Whether this principal may know of an object that is there; by default of all. */
  mayKnow?(method: MethodContext, number: number): boolean
  /** Checks the extra arguments of /get. @throws MethodError */
  checkGet?(args: JsonObject, properties: readonly string[] | null): void
  /** At most `limit` object numbers of the account. */
  all(read: ReadContext, limit: number): Promise<number[]>
  /** `load` of `all`, for types that keep their objects together: at most `limit` of them. */
  loadAll?(read: ReadContext, request: Omit<LoadRequest, 'numbers'>, limit: number): Promise<Map<number, JsonObject>>
  /** Objects that exist, by number. Text of a whole object must hold exactly the properties asked for, and `id`. */
  load(read: ReadContext, request: LoadRequest): Promise<Map<number, JsonObject | JsonText>>

  /** Before the moment at which /query and /queryChanges read: what must be up to date by then. */
  beforeQuery?(method: MethodContext, filter: Json): Promise<void>
  query?(read: ReadContext, request: QueryRequest): Promise<QueryResult>
  /** Whether /queryChanges can be calculated for this filter and sort. Default: yes. */
  canCalculateChanges?(request: QueryRequest): boolean
  /** Whether filter and sort read nothing that can change, so that `upToId` may shorten the answer (RFC 8620 5.6). Default: no. */
  isImmutableQuery?(request: QueryRequest): boolean
  /** More members of the /changes response, from the names of properties that changed (RFC 8621 2.2). */
  extraChanges?(updatedProps: ReadonlySet<string> | null): JsonObject

  /** A record to create, or a patch, in the form in which it is kept (keywords in lower case). */
  canonical?(object: JsonObject): Canonical
  /** Other accounts that a /set must lock: it names them before anything is written. */
  accountsOf?(method: MethodContext, args: JsonObject): Promise<readonly number[]>
  /** Outside the transaction: parse, generate, hash, write blobs. What it returns comes back in `create`. */
  prepareCreate?(
    method: MethodContext,
    input: JsonObject,
  ): Promise<{ readonly prepared: unknown } | { readonly error: SetError }>
  /** For /copy: what `create` is given for an object of another account; by default its properties are copied. */
  prepareCopy?(
    from: MethodContext,
    method: MethodContext,
    number: number,
  ): Promise<{ readonly input: JsonObject; readonly prepared: unknown } | null>
  /** For /copy: the properties that a client may set otherwise than the original has them. Default: all. */
  readonly copySets?: readonly string[]
  prepareUpdate?(
    method: MethodContext,
    patch: JsonObject,
  ): Promise<{ readonly prepared: unknown } | { readonly error: SetError }>
  /** Inside: references are resolved, defaults are filled in, types are right. */
  create?(write: WriteContext, input: JsonObject, prepared: unknown): Promise<CreateOutcome>
  /** Properties that `update` reads beside those patched; all by default. */
  readonly updateReads?: readonly string[]
  /** Inside. `next` is the whole object after the patch, `changed` the names of what differs; `before` as `load` gives it. */
  update?(write: WriteContext, number: number, change: UpdateChange): Promise<UpdateOutcome>
  /** Updates of which each alone was refused: makes them as one if what they lead to is right, else changes nothing. */
  updateTogether?(write: WriteContext, changes: ReadonlyMap<number, UpdateChange>): Promise<boolean>
  /** Refusing leaves no trace: it may be asked again when others have gone. */
  destroy?(write: WriteContext, number: number): Promise<SetError | null>
  /** After each unit, inside: what concerns the records together. */
  finish?(write: WriteContext, set: EndingSet): Promise<void>
  /** After the commit: implicit calls. */
  afterSet?(method: MethodContext, outcome: SetOutcome): Promise<void>
}

export interface Canonical {
  readonly value: JsonObject
  /** Names of the properties that the client wrote otherwise. */
  readonly differing: readonly string[]
}

export interface UpdateChange {
  readonly before: JsonObject
  readonly next: JsonObject
  readonly changed: readonly string[]
  readonly prepared: unknown
}

/** A /set whose records are done, but not committed: what it tells may still change. */
export interface EndingSet {
  /** No record was refused. */
  readonly isWhole: boolean
  readonly created: Map<string, JsonObject>
  readonly updated: Map<string, JsonObject | null>
  /** An id, or what a creation id stands for. */
  resolve(given: string): string
}

export interface SetOutcome {
  readonly args: JsonObject
  readonly created: ReadonlyMap<string, JsonObject>
  readonly updated: ReadonlyMap<string, JsonObject | null>
  readonly destroyed: readonly string[]
  readonly notes: ReadonlyMap<string, unknown>
}
