/**
 * The behaviour of a type: functions that the shared methods call at defined points. A type with a table has its own handlers; types in
 * the generic store get them from object-handlers.ts.
 */
import type { Json, JsonObject } from '../../server/base/json.ts'
import type { AccountUnit, Reader, Unit } from '../../storage/ports.ts'
import type { SetError } from '../protocol/errors.ts'
import type { JsonText } from '../protocol/json-text.ts'
import type { MethodContext } from './context.ts'
import type { StandardMethod, TypeDefinition, TypeSpec } from './define-type.ts'
import type { Comparator, CreateOf, ExtraArguments, FilterOf, NameOf, ObjectOf, PatchedOf, SortOf } from './derived.ts'
import type { Judge } from './set-plan.ts'
import type { Weight } from './weight.ts'

/** One snapshot of one account. */
export interface ReadContext {
  readonly method: MethodContext
  readonly reader: Reader
}

/** A unit of work in one account. */
export interface WriteContext<D extends TypeSpec = TypeDefinition> extends ReadContext {
  readonly unit: AccountUnit
  /** The whole unit of work, for handlers that use the accounts that they named in `accountsOf`. */
  readonly work: Unit
  /** Arguments of the /set beyond the standard ones. */
  readonly args: ExtraArguments<D, 'set'>
  /** Notes of handlers for `afterSet`, by object number. They are cleared when the unit of work runs again. */
  readonly notes: Map<number, Json>
}

export interface LoadRequest<D extends TypeSpec = TypeDefinition> {
  /** Object numbers. */
  readonly numbers: readonly number[]
  /** Requested names, including `id`. */
  readonly properties: readonly string[]
  /** Arguments of /get beyond the standard ones, if a /get asks. */
  readonly args: Partial<ExtraArguments<D, 'get'>>
}

/** A result list that is computed as far as needed. */
export interface QueryResult {
  count(): Promise<number>
  slice(position: number, limit: number): Promise<number[]>
  /** The same as ids, where a list knows them faster than one by one. */
  ids?(position: number, limit: number): Promise<string[]>
  /** Index of each given object that the list holds. */
  indexesOf(numbers: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** RFC 8620 5.6: objects that may have left or entered since a state, given the objects that the log names. Default: those objects. */
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
/** `serverSet`: properties that the client may not know; the response omits those that it sent. */
export type CreateOutcome<S extends JsonObject = JsonObject> =
  | { readonly created: { readonly number: number; readonly serverSet: S } }
  | Refusal
export type UpdateOutcome = { readonly updated: JsonObject | null } | Refusal

/**
 * @template P result of `prepareCreate`, U of `prepareUpdate`
 * @template R names in `updateReads`
 */
export interface Handlers<D extends TypeSpec = TypeDefinition, P = unknown, U = P, R extends NameOf<D> = NameOf<D>> {
  /** How much a call of a standard method may have to read. @param args unchecked. undefined: as for any type */
  weigh?(verb: StandardMethod, args: JsonObject): Weight | undefined
  /** Whether `load` knows a property that the declaration lacks (`header:*`). */
  acceptsProperty?(name: string): boolean
  /** Whether this principal may know that an object exists. Default: yes. */
  mayKnow?(method: MethodContext, number: number): boolean
  /** Checks the extra arguments of /get, and properties that exclude each other. @throws MethodError */
  checkGet?(args: ExtraArguments<D, 'get'>, properties: readonly string[]): void
  /** At most `limit` object numbers of the account. */
  all(read: ReadContext, limit: number): Promise<number[]>
  /** `load` of `all`, for types that keep their objects together: at most `limit` of them. */
  loadAll?(read: ReadContext, request: Omit<LoadRequest<D>, 'numbers'>, limit: number): Promise<Map<number, JsonObject>>
  /** Existing objects, by number. If an object is given as text, it must hold exactly the requested properties and `id`. */
  load(read: ReadContext, request: LoadRequest<D>): Promise<Map<number, JsonObject | JsonText>>

  /** Called before the snapshot of /query and /queryChanges. Brings up to date what they read. */
  beforeQuery?(method: MethodContext, request: QueryRequest<D>): Promise<void>
  query?(read: ReadContext, request: QueryRequest<D>): Promise<QueryResult>
  /** Whether /queryChanges can be calculated for this filter and sort. Default: yes. */
  canCalculateChanges?(request: QueryRequest<D>): boolean
  /** Whether filter and sort read only immutable properties, so that `upToId` may shorten the response (RFC 8620 5.6). Default: no. */
  isImmutableQuery?(request: QueryRequest<D>): boolean
  /** Further members of the /changes response, computed from the names of changed properties (RFC 8621 2.2). */
  extraChanges?(updatedProps: ReadonlySet<string> | null): JsonObject

  /** Converts a record to create, or a patch, to the form in which it is stored (keywords in lower case). */
  canonical?(object: JsonObject): Canonical
  /** Other accounts that a /set must lock. */
  accountsOf?(method: MethodContext, args: SetArguments<D>): Promise<readonly number[]>
  /** Outside the transaction: parses, generates, hashes, writes blobs. `create` gets the result. */
  prepareCreate?(method: MethodContext, input: CreateOf<D>): Promise<PrepareOutcome<P>>
  /** For /copy: the input of `create` for an object of another account. Default: its properties are copied. */
  prepareCopy?(
    from: MethodContext,
    method: MethodContext,
    number: number,
  ): Promise<{ readonly input: JsonObject; readonly prepared: P } | null>
  /** For /copy: properties that a client may set differently from the original. Default: all. */
  readonly copySets?: readonly NameOf<D>[]
  /** Outside the transaction. Patch and id are unchecked, as the client sent them: there may be no such object. */
  prepareUpdate?(method: MethodContext, patch: JsonObject, id: string): Promise<PrepareOutcome<U>>
  /** Inside the unit of work: references are resolved, defaults are filled in, types are right. */
  create?(write: WriteContext<D>, input: CreateOf<D>, prepared: P): Promise<CreateOutcome>
  /** Properties that `update` reads beside the patched ones. Default: all. */
  readonly updateReads?: readonly R[]
  /** Inside the unit of work. */
  update?(write: WriteContext<D>, number: number, change: UpdateChange<D, U, R>): Promise<UpdateOutcome>
  destroy?(write: WriteContext<D>, number: number): Promise<SetError | null>
  /** Inside the unit of work, in place of `create`, `update` and `destroy`: judges the records of a /set together (set-plan.ts). */
  plan?(write: WriteContext<D>, records: readonly PlannedRecord<D, P, U>[]): Promise<SetPlan<D, P, U>>
  /** Inside, at the end of each unit of work: checks and effects that concern several records. */
  finish?(write: WriteContext<D>, set: EndingSet): Promise<void>
  /** After the commit: implicit calls. */
  afterSet?(method: MethodContext, outcome: SetOutcome<D>): Promise<void>
}

/** RFC 8620 5.3: the records of a /set as the client sent them, with arguments that are specific to this type. */
export type SetArguments<D extends TypeSpec = TypeDefinition> = ExtraArguments<D, 'set'> & {
  readonly create?: { readonly [creationId: string]: JsonObject } | null
  readonly update?: { readonly [id: string]: JsonObject } | null
  readonly destroy?: readonly string[] | null
}

export interface Canonical {
  readonly value: JsonObject
  /** Names of the properties that the client wrote in another form. */
  readonly differing: readonly string[]
}

export interface UpdateChange<D extends TypeSpec = TypeDefinition, U = unknown, R extends NameOf<D> = NameOf<D>> {
  /** As `load` returns it. */
  readonly before: Pick<ObjectOf<D>, R & keyof ObjectOf<D>>
  /** The whole object after the patch. */
  readonly next: Pick<PatchedOf<D>, (R | Exclude<keyof PatchedOf<D>, keyof ObjectOf<D>>) & keyof PatchedOf<D>>
  /** Names of the properties that differ. */
  readonly changed: readonly (keyof PatchedOf<D> & string)[]
  readonly prepared: U
}

/** A record of a /set that is well-formed, and whose object exists if it is not to be created. One for each object. */
export type PlannedRecord<D extends TypeSpec = TypeDefinition, P = unknown, U = P> =
  | { readonly kind: 'destroy'; readonly number: number }
  | { readonly kind: 'update'; readonly number: number; readonly change: UpdateChange<D, U> }
  | { readonly kind: 'create'; readonly number: number; readonly input: CreateOf<D>; readonly prepared: P }

export interface SetPlan<D extends TypeSpec = TypeDefinition, P = unknown, U = P>
  extends Judge<PlannedRecord<D, P, U>> {
  /**
   * Writes all that was made and not undone, with the change log.
   * @returns of each created object what the client may not know, and of updated ones what changed beside their patch
   */
  write(records: readonly PlannedRecord<D, P, U>[]): Promise<ReadonlyMap<number, JsonObject>>
}

/** A /set whose records are done but not committed: its response may still change. */
export interface EndingSet {
  /** No record was refused. */
  readonly isWhole: boolean
  readonly created: Map<string, JsonObject>
  readonly updated: Map<string, JsonObject | null>
  /** The id that a creation id stands for, or the given id. */
  resolve(given: string): string
}

export interface SetOutcome<D extends TypeSpec = TypeDefinition> {
  readonly args: ExtraArguments<D, 'set'>
  readonly created: ReadonlyMap<string, JsonObject>
  readonly updated: ReadonlyMap<string, JsonObject | null>
  readonly destroyed: readonly string[]
  readonly notes: ReadonlyMap<number, Json>
}
