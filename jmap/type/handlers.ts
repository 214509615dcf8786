/**
 * The behaviour of a type: what the shared methods ask at named moments. A type with a table brings its handlers; types in the
 * generic store get them from object-handlers.ts.
 */
import type { Json, JsonObject } from '../../server/base/json.ts'
import type { AccountUnit, Reader, Unit } from '../../storage/ports.ts'
import type { MethodContext } from '../context.ts'
import type { SetError } from '../protocol/errors.ts'
import type { JsonText } from '../protocol/json-text.ts'
import type { TypeDefinition, TypeSpec } from './define-type.ts'
import type { Comparator, CreateOf, ExtraArguments, FilterOf, NameOf, ObjectOf, PatchedOf, SortOf } from './derived.ts'

/** One snapshot of one account. */
export interface ReadContext {
  readonly method: MethodContext
  readonly reader: Reader
}

/** A unit of work in one account. */
export interface WriteContext<D extends TypeSpec = TypeDefinition> extends ReadContext {
  readonly unit: AccountUnit
  /** The whole unit of work, for handlers that reach the accounts that they named in `accountsOf`. */
  readonly work: Unit
  /** Arguments of the /set beyond the standard ones. */
  readonly args: ExtraArguments<D, 'set'>
  /** What handlers leave for `afterSet`, by object number; empty again when the unit of work runs again. */
  readonly notes: Map<number, Json>
}

export interface LoadRequest<D extends TypeSpec = TypeDefinition> {
  /** Object numbers. */
  readonly numbers: readonly number[]
  /** Names as asked for, `id` among them. */
  readonly properties: readonly string[]
  /** Arguments of /get beyond the standard ones, where a /get asks. */
  readonly args: Partial<ExtraArguments<D, 'get'>>
}

/** A result list, computed as far as it is asked for. */
export interface QueryResult {
  count(): Promise<number>
  slice(position: number, limit: number): Promise<number[]>
  /** Index of each of the objects that the list holds. */
  indexesOf(numbers: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** RFC 8620 5.6: which objects may have left or entered since, given those that the log names; by default just those. */
  affected?(changed: readonly ChangedObject[], since: number): Promise<{ left: number[]; entered: number[] }>
}

export interface ChangedObject {
  readonly number: number
  readonly kind: 'c' | 'u' | 'd'
}

export interface QueryRequest<D extends TypeSpec = TypeDefinition> {
  readonly filter: FilterOf<D> | null
  readonly sort: readonly Comparator<SortOf<D>>[]
  readonly args: ExtraArguments<D, 'query'>
}

export interface Refusal {
  readonly error: SetError
}
export type PrepareOutcome<P> = { readonly prepared: P } | Refusal
export type CreateOutcome = { readonly created: { readonly number: number; readonly serverSet: JsonObject } } | Refusal
export type UpdateOutcome = { readonly updated: JsonObject | null } | Refusal

/**
 * @template P what `prepareCreate` makes, and U what `prepareUpdate` makes
 * @template R names in `updateReads`
 */
export interface Handlers<D extends TypeSpec = TypeDefinition, P = unknown, U = P, R extends NameOf<D> = NameOf<D>> {
  /** Whether a name that the declaration lacks is a property (`header:*`) that `load` knows. */
  acceptsProperty?(name: string): boolean
  /** Whether this principal may know that an object exists. Default: yes. */
  mayKnow?(method: MethodContext, number: number): boolean
  /** Checks the extra arguments of /get. @throws MethodError */
  checkGet?(args: ExtraArguments<D, 'get'>): void
  /** At most `limit` object numbers of the account. */
  all(read: ReadContext, limit: number): Promise<number[]>
  /** `load` of `all`, for types that keep their objects together: at most `limit` of them. */
  loadAll?(read: ReadContext, request: Omit<LoadRequest<D>, 'numbers'>, limit: number): Promise<Map<number, JsonObject>>
  /** Objects that exist, by number. Text of a whole object must hold exactly the properties asked for, and `id`. */
  load(read: ReadContext, request: LoadRequest<D>): Promise<Map<number, JsonObject | JsonText>>

  /** Before the snapshot of /query and /queryChanges: brings up to date what they read. */
  beforeQuery?(method: MethodContext, filter: FilterOf<D> | null): Promise<void>
  query?(read: ReadContext, request: QueryRequest<D>): Promise<QueryResult>
  /** Whether /queryChanges can be calculated for this filter and sort. Default: yes. */
  canCalculateChanges?(request: QueryRequest<D>): boolean
  /** Whether filter and sort read only immutable properties, so that `upToId` may shorten the answer (RFC 8620 5.6). Default: no. */
  isImmutableQuery?(request: QueryRequest<D>): boolean
  /** More members of the /changes response, from the names of properties that changed (RFC 8621 2.2). */
  extraChanges?(updatedProps: ReadonlySet<string> | null): JsonObject

  /** A record to create, or a patch, in the form in which it is stored (keywords in lower case). */
  canonical?(object: JsonObject): Canonical
  /** Other accounts that a /set must lock. */
  accountsOf?(method: MethodContext, args: SetArguments<D>): Promise<readonly number[]>
  /** Outside the transaction: parse, generate, hash, write blobs. `create` gets the result. */
  prepareCreate?(method: MethodContext, input: CreateOf<D>): Promise<PrepareOutcome<P>>
  /** For /copy: what `create` gets for an object of another account. Default: its properties are copied. */
  prepareCopy?(
    from: MethodContext,
    method: MethodContext,
    number: number,
  ): Promise<{ readonly input: JsonObject; readonly prepared: P } | null>
  /** For /copy: the properties that a client may set otherwise than the original has them. Default: all. */
  readonly copySets?: readonly NameOf<D>[]
  /** Outside the transaction. The patch is as the client sent it, unchecked. */
  prepareUpdate?(method: MethodContext, patch: JsonObject): Promise<PrepareOutcome<U>>
  /** Inside: references are resolved, defaults are filled in, types are right. */
  create?(write: WriteContext<D>, input: CreateOf<D>, prepared: P): Promise<CreateOutcome>
  /** Properties that `update` reads beside those patched. Default: all. */
  readonly updateReads?: readonly R[]
  /** Inside. */
  update?(write: WriteContext<D>, number: number, change: UpdateChange<D, U, R>): Promise<UpdateOutcome>
  /** Updates of which each alone was refused: makes all of them if the result is right, else changes nothing. */
  updateTogether?(write: WriteContext<D>, changes: ReadonlyMap<number, UpdateChange<D, U, R>>): Promise<boolean>
  /** A refusal leaves no trace: it may be tried again when others are gone. */
  destroy?(write: WriteContext<D>, number: number): Promise<SetError | null>
  /** Inside, after each unit: what concerns the records together. */
  finish?(write: WriteContext<D>, set: EndingSet): Promise<void>
  /** After the commit: implicit calls. */
  afterSet?(method: MethodContext, outcome: SetOutcome<D>): Promise<void>
}

/** RFC 8620 5.3: the records of a /set as the client sent them, with the arguments that only this type has. */
export type SetArguments<D extends TypeSpec = TypeDefinition> = ExtraArguments<D, 'set'> & {
  readonly create?: { readonly [creationId: string]: JsonObject } | null
  readonly update?: { readonly [id: string]: JsonObject } | null
  readonly destroy?: readonly string[] | null
}

export interface Canonical {
  readonly value: JsonObject
  /** Names of the properties that the client wrote otherwise. */
  readonly differing: readonly string[]
}

export interface UpdateChange<D extends TypeSpec = TypeDefinition, U = unknown, R extends NameOf<D> = NameOf<D>> {
  /** As `load` gives it. */
  readonly before: Pick<ObjectOf<D>, R & keyof ObjectOf<D>>
  /** The whole object after the patch. */
  readonly next: Pick<PatchedOf<D>, (R | Exclude<keyof PatchedOf<D>, keyof ObjectOf<D>>) & keyof PatchedOf<D>>
  /** Names of the properties that differ. */
  readonly changed: readonly (keyof PatchedOf<D> & string)[]
  readonly prepared: U
}

/** A /set whose records are done, but not committed: its answer may still change. */
export interface EndingSet {
  /** No record was refused. */
  readonly isWhole: boolean
  readonly created: Map<string, JsonObject>
  readonly updated: Map<string, JsonObject | null>
  /** An id, or the id that a creation id stands for. */
  resolve(given: string): string
}

export interface SetOutcome<D extends TypeSpec = TypeDefinition> {
  readonly args: ExtraArguments<D, 'set'>
  readonly created: ReadonlyMap<string, JsonObject>
  readonly updated: ReadonlyMap<string, JsonObject | null>
  readonly destroyed: readonly string[]
  readonly notes: ReadonlyMap<number, Json>
}
