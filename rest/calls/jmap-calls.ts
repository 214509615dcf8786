/** Method calls as typed data, with the readers of their answers. Endpoints consist of these; `jmap-client.ts` runs them. */
import type {
  AtCreationOf,
  Comparator,
  ExtraArguments,
  FilterOf,
  NameOf,
  NewOf,
  PatchOf,
  SortOf,
} from '../../jmap/type/derived.ts'
import type { AnswerOf as AnswerTo, GivenTo, MethodDeclaration } from '../../jmap/type/method-declaration.ts'
import type { GetResponse, QueryResponse, SetResponse } from '../../jmap/type/responses.ts'
import { notFound } from '../errors/api-error.ts'
import { fromSetError, type SetErrorRules } from '../errors/jmap-errors.ts'
import type { JmapObjects, TypeName, TypeOf } from '../schema/jmap-types.ts'

declare const ANSWER: unique symbol

/** One call of a round; `A` is the type of its answer. */
export interface Call<A> {
  readonly method: string
  readonly args: object
  readonly [ANSWER]?: A
}

/** Calls of one request, by call id. They run in the order written. */
export type Calls = { readonly [callId: string]: Call<unknown> }
export type AnswerOf<C> = C extends Call<infer A> ? A : never
export type Answers<C extends Calls> = { readonly [K in keyof C]: AnswerOf<C[K]> }

/** RFC 8620 3.7 */
export interface ResultReference {
  readonly resultOf: string
  readonly name: string
  readonly path: string
}

/** The ids themselves, or those in the answer of an earlier call of the round. */
type Ids<I> = { readonly ids: I } | { readonly '#ids': ResultReference }

export type GetAnswer<T> = GetResponse<T>
export type SetAnswer<T extends TypeName> = SetResponse<
  JmapObjects[T],
  Partial<JmapObjects[T]> & AtCreationOf<TypeOf<T>>
> & {
  /** Vendor: what `returning` asks for. */
  readonly list?: readonly JmapObjects[T][]
}

type GetArgs<T extends TypeName> = Ids<readonly string[] | null> & {
  readonly accountId: string
  readonly properties?: readonly NameOf<TypeOf<T>>[]
}

interface SetArgs<T extends TypeName> {
  readonly accountId: string
  readonly ifInState?: string
  readonly create?: { readonly [creationId: string]: NewOf<TypeOf<T>> }
  readonly update?: { readonly [id: string]: PatchOf<TypeOf<T>> }
  readonly destroy?: readonly string[]
  /** Vendor: these properties of created and updated objects are returned in `list`, in the state after this commit. */
  readonly returning?: readonly string[]
}

interface QueryArgs<T extends TypeName> {
  readonly accountId: string
  readonly filter?: FilterOf<TypeOf<T>> | null
  readonly sort?: readonly Comparator<SortOf<TypeOf<T>>>[]
  readonly position?: number
  readonly limit?: number
  readonly calculateTotal?: boolean
}

/** Arguments that only this type has. */
export type More<T extends TypeName, M extends 'get' | 'set' | 'query'> = Partial<ExtraArguments<TypeOf<T>, M>>

export function get<T extends TypeName>(
  type: T,
  args: GetArgs<T>,
  more?: More<T, 'get'>,
): Call<GetAnswer<JmapObjects[T]>> {
  return { method: `${type}/get`, args: { ...args, ...more } }
}

export function set<T extends TypeName>(type: T, args: SetArgs<T>, more?: More<T, 'set'>): Call<SetAnswer<T>> {
  return { method: `${type}/set`, args: { ...args, ...more } }
}

export function query<T extends TypeName>(type: T, args: QueryArgs<T>, more?: More<T, 'query'>): Call<QueryResponse> {
  return { method: `${type}/query`, args: { ...args, ...more } }
}

/** A method that is declared beside its type. */
export function call<D extends MethodDeclaration>({ name }: D, args: Referring<GivenTo<D>>): Call<AnswerTo<D>> {
  return { method: name, args }
}
type Referring<A> = A extends { readonly ids: infer I } ? Omit<A, 'ids'> & Ids<I> : A

/** The ids that the query of call id `callId` found. */
export function idsOf(callId: string, type: TypeName): ResultReference {
  return { resultOf: callId, name: `${type}/query`, path: '/ids' }
}

/** The ids of the emails of the threads that the call `callId` got. */
export function emailIdsOf(callId: string): ResultReference {
  return { resultOf: callId, name: 'Thread/get', path: '/list/*/emailIds' }
}

/** @param what as in "There is no such mailbox". @throws ApiError 404 */
export function onlyOne<T>(answer: Pick<GetAnswer<T>, 'list'>, what: string): T {
  const [first] = answer.list
  if (first === undefined) throw notFound(what)
  return first
}

interface Created<T> {
  readonly created: { readonly [creationId: string]: T } | null
  readonly notCreated: Refused
}
type Refused = SetResponse<unknown>['notCreated']

/** The created record. @throws ApiError of the SetError */
export function created<T extends { readonly id: string }>(
  answer: Created<T>,
  creationId: string,
  rules?: SetErrorRules,
): T {
  const error = answer.notCreated?.[creationId]
  if (error) throw fromSetError(error, rules)
  const record = answer.created?.[creationId]
  if (!record) throw new Error(`a /set answer names ${creationId} neither created nor notCreated`)
  return record
}

/** The only object that a /set with `returning` has created or updated, as its own commit left it. @throws ApiError 404 */
export function returned<T extends TypeName>({ list = [] }: SetAnswer<T>, what: string): JmapObjects[T] {
  return onlyOne({ list }, what)
}

/** @throws ApiError of the SetError */
export function updated(answer: { readonly notUpdated: Refused }, id: string, rules?: SetErrorRules): void {
  const error = answer.notUpdated?.[id]
  if (error) throw fromSetError(error, rules)
}

/** @throws ApiError of the SetError */
export function destroyed(answer: { readonly notDestroyed: Refused }, id: string, rules?: SetErrorRules): void {
  const error = answer.notDestroyed?.[id]
  if (error) throw fromSetError(error, rules)
}

/** The objects in the order of a query: a /get answers in any order (RFC 8620 5.1). */
export function inOrder<T extends { readonly id: string }>(ids: readonly string[], list: readonly T[]): T[] {
  const byId = new Map(list.map((item) => [item.id, item]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
