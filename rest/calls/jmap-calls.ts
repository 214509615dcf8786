/** Method calls as typed data, and how their answers are read. Endpoints are made of these; `jmap-client.ts` runs them. */
import type { SetError } from '../../jmap/protocol/errors.ts'
import { notFound } from '../errors/api-error.ts'
import { fromSetError, type SetErrorRules } from '../errors/jmap-errors.ts'
import type { EmailObject, JmapObjects, SentMessageObject } from '../schema/jmap-types.ts'

export type TypeName = keyof JmapObjects

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

/** RFC 8620 5.1 */
export interface GetAnswer<T> {
  readonly state: string
  readonly list: readonly T[]
  readonly notFound: readonly string[]
}

/** RFC 8620 5.3 */
export interface SetAnswer<T> {
  readonly created?: { readonly [creationId: string]: Partial<T> & { readonly id: string } } | null
  readonly updated?: { readonly [id: string]: Partial<T> | null } | null
  readonly destroyed?: readonly string[] | null
  readonly notCreated?: { readonly [creationId: string]: SetError } | null
  readonly notUpdated?: { readonly [id: string]: SetError } | null
  readonly notDestroyed?: { readonly [id: string]: SetError } | null
  /** Vendor: what `returning` asks for. */
  readonly list?: readonly T[]
}

/** RFC 8620 5.5 */
export interface QueryAnswer {
  readonly ids: readonly string[]
  readonly position: number
  readonly total?: number
}

/** RFC 8620 3.7 */
export interface ResultReference {
  readonly resultOf: string
  readonly name: string
  readonly path: string
}

interface GetArgs<T> {
  readonly accountId: string
  readonly ids?: readonly string[] | null
  /** Instead of `ids`: the ids in the answer of an earlier call of the round. */
  readonly '#ids'?: ResultReference
  readonly properties?: readonly (keyof T & string)[]
  readonly [more: string]: unknown
}

interface SetArgs {
  readonly accountId: string
  readonly create?: { readonly [creationId: string]: object }
  readonly update?: { readonly [id: string]: object }
  readonly destroy?: readonly string[]
  /** Vendor: these properties of what is created and updated are in `list`, as this commit leaves them. */
  readonly returning?: readonly string[]
  readonly [more: string]: unknown
}

interface QueryArgs {
  readonly accountId: string
  readonly filter?: object | null
  readonly sort?: readonly object[] | null
  readonly position?: number
  readonly limit?: number
  readonly calculateTotal?: boolean
}

export function get<T extends TypeName>(type: T, args: GetArgs<JmapObjects[T]>): Call<GetAnswer<JmapObjects[T]>> {
  return { method: `${type}/get`, args }
}

export function set<T extends TypeName>(type: T, args: SetArgs): Call<SetAnswer<JmapObjects[T]>> {
  return { method: `${type}/set`, args }
}

/** Domain/verify, a vendor method. */
export interface VerifyAnswer {
  readonly notChecked: { readonly [id: string]: SetError } | null
}

export function verifyDomains(args: {
  readonly accountId: string
  readonly ids: readonly string[]
  readonly isQuiet: boolean
}): Call<VerifyAnswer> {
  return { method: 'Domain/verify', args }
}

/** InboxRules/test, a vendor method. */
export interface RulesTestAnswer {
  readonly matched: readonly string[]
  readonly mailboxIds: { readonly [id: string]: true }
  readonly keywords: { readonly [keyword: string]: true }
}

export function testRules(args: {
  readonly accountId: string
  readonly emailId: string
  readonly rules: readonly object[] | null
}): Call<RulesTestAnswer> {
  return { method: 'InboxRules/test', args }
}

interface UsagePart {
  readonly used: number
  readonly limit: number | null
}

/** Usage/get, a vendor method. */
export interface UsageAnswer {
  readonly plan: string
  readonly trialEndsAt: string | null
  readonly periodStart: string
  readonly periodEnd: string
  readonly sends: UsagePart
  readonly mailboxes: UsagePart
  readonly aliases: UsagePart
  readonly newsletterMediaBytes: UsagePart
  readonly teamMembers: UsagePart
  readonly storageBytes: { readonly used: number; readonly limitPerMailbox: number | null }
}

export function getUsage(accountId: string): Call<UsageAnswer> {
  return { method: 'Usage/get', args: { accountId } }
}

/** Vendor methods on one webhook. */
export interface WebhookAnswers {
  readonly 'Webhook/rotateSecret': { readonly secret: string; readonly previousSecretExpiresAt: string }
  readonly 'Webhook/test': { readonly eventId: string; readonly deliveryId: string }
  readonly 'WebhookDelivery/replay': { readonly eventId: string; readonly deliveryId: string }
}

export function webhookVerb<V extends keyof WebhookAnswers>(
  method: V,
  args: { readonly accountId: string; readonly webhookId: string; readonly deliveryId?: string },
): Call<WebhookAnswers[V]> {
  return { method, args }
}

/** Email/send, a vendor method: Email/set and EmailSubmission/set in one. */
export function sendEmails(args: {
  readonly accountId: string
  readonly create: { readonly [creationId: string]: object }
}): Call<SetAnswer<EmailObject>> {
  return { method: 'Email/send', args }
}

/** SentMessage/query and SentMessage/get, vendor methods of the organization. */
export function querySent(args: {
  readonly accountId: string
  readonly filter: object
  readonly limit: number
}): Call<Pick<QueryAnswer, 'ids'>> {
  return { method: 'SentMessage/query', args }
}

export function getSent(args: {
  readonly accountId: string
  readonly ids?: readonly string[]
  readonly '#ids'?: ResultReference
}): Call<Pick<GetAnswer<SentMessageObject>, 'list'>> {
  return { method: 'SentMessage/get', args }
}

export function query(type: TypeName, args: QueryArgs): Call<QueryAnswer> {
  return { method: `${type}/query`, args }
}

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

/** The created record. @throws ApiError of the SetError */
export function created<T>(
  answer: SetAnswer<T>,
  creationId: string,
  rules?: SetErrorRules,
): Partial<T> & { id: string } {
  const error = answer.notCreated?.[creationId]
  if (error) throw fromSetError(error, rules)
  const record = answer.created?.[creationId]
  if (!record) throw new Error(`a /set answer names ${creationId} neither created nor notCreated`)
  return record
}

/** The only object that a /set with `returning` has created or updated, as its own commit left it. @throws ApiError 404 */
export function returned<T>({ list = [] }: SetAnswer<T>, what: string): T {
  return onlyOne({ list }, what)
}

/** @throws ApiError of the SetError */
export function updated<T>(answer: SetAnswer<T>, id: string, rules?: SetErrorRules): void {
  const error = answer.notUpdated?.[id]
  if (error) throw fromSetError(error, rules)
}

/** @throws ApiError of the SetError */
export function destroyed<T>(answer: SetAnswer<T>, id: string, rules?: SetErrorRules): void {
  const error = answer.notDestroyed?.[id]
  if (error) throw fromSetError(error, rules)
}

/** The objects in the order of a query: a /get answers in any order (RFC 8620 5.1). */
export function inOrder<T extends { readonly id: string }>(ids: readonly string[], list: readonly T[]): T[] {
  const byId = new Map(list.map((item) => [item.id, item]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
