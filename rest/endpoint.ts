/**
 * An endpoint as data: its input, its answers, and the JMAP calls that lead from one to the other. The route, the checks before it, the
 * validators and the OpenAPI document derive from this. `JmapClient` is an endpoint's only way to the data.
 */

import type { Scope } from '../jmap/directory/scopes.ts'
import { type JsonText, type ResponseArguments, writeArguments } from '../jmap/protocol/json-text.ts'
import type { FileSource } from '../server/base/http/files.ts'
import type { TextSource } from '../server/base/http/text-pages.ts'
import { isLimited } from '../server/base/principal.ts'
import type { Tier } from './access/rate-tiers.ts'
import type { Answers, Calls } from './calls/jmap-calls.ts'
import type { JmapClient } from './calls/jmap-client.ts'
import type { Caller } from './calls/mailbox-access.ts'
import { type ApiErrorCode, limitedKey } from './errors/api-error.ts'
import { declaredErrors } from './errors/declared-errors.ts'
import type { Cursors } from './pagination/pages.ts'
import type { JsonSchema, Schema } from './schema/schema.ts'
import type { MessageTexts } from './shapes/message-texts.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Octets of a body as they come. */
export interface Upload {
  /** Media type as the client wrote it; '' if it did not. */
  readonly type: string
  /** Octets that the client announced; null: it did not. */
  readonly size: number | null
  /** Pieces of at most that many octets. @throws ApiError payload_too_large, and errors of the connection */
  pieces(bytes: number): AsyncIterable<Uint8Array>
}

/** What an endpoint knows of the request, beside its input. */
export interface Context extends Caller {
  readonly cursors: Cursors
  readonly messageTexts: MessageTexts
  /** Epoch ms. */
  readonly now: number
  /** URL of the server for its clients, without a slash at the end. */
  readonly baseUrl: string
  readonly requestId: string
  /** The body of a request with octets, where the endpoint takes them. */
  readonly upload?: Upload | undefined
  /** Whether the store answers. Never rejects. */
  readonly isAvailable: () => Promise<boolean>
}

/**
 * `/v1/domains/{domain_id}` has the parameter `domain_id`. Any text is accepted as a parameter; text that is not an id of an object
 * ends in a 404.
 */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<Rest>
  : unknown

export type Input<Path extends string, Q, B> = Context & {
  readonly params: PathParams<Path>
  readonly query: Q
  readonly body: B
}

/** A group of operations in the OpenAPI document. */
export interface Tag {
  readonly name: string
  readonly description: string
  /** Name of the tag before it in the document; by default tags are in the order of their first endpoints. */
  readonly after?: string
}

/** What a handler returns for a declared response: the items of its lists may be JSON text already. */
type Reply<R> =
  R extends Schema<infer T>
    ? T | { readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? readonly (I | JsonText)[] : T[K] }
    : null

interface Declaration<Path extends string, Q, B, R extends Schema<unknown> | null> {
  readonly method: Method
  readonly path: Path
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** null: no authentication. */
  readonly scope: Scope | null
  /** Another scope that is enough too. */
  readonly orScope?: Scope
  /** It concerns the whole organization: keys that are limited to some mailboxes or domains are refused (decision D31). */
  readonly wholeOrganization?: true
  /** By default `read` for a GET and `write` for the other methods; public endpoints have no rate limit. */
  readonly tier?: Tier
  readonly query?: Schema<Q>
  readonly body?: Schema<B>
  /** Media type of a body that is no JSON: the endpoint gets its octets, unchecked. */
  readonly bodyType?: string
  /** For PATCH, PUT and DELETE: the endpoint that reads the changed resource. If-Match compares with its ETag (decision D31). */
  readonly resource?: Endpoint
  /**
   * A body of another type than JSON is octets, which the endpoint reads as they come (`input.upload`). They have no Idempotency-Key: the
   * endpoint does the same again for the same octets.
   */
  readonly uploadLimit?: number
  /** Octets of the body, where another limit than the usual one holds. */
  readonly bodyLimit?: number
  /** A body that a client may send. The OpenAPI document shows it; without one it is made from the schema. */
  readonly bodyExample?: object
  /** Examples of parameters of the path that no other endpoint has. */
  readonly pathExamples?: { readonly [name: string]: string }
  /** Member of the body with the meaning of the header Idempotency-Key (decision D2). */
  readonly idempotencyMember?: string
  /** By default 200. */
  readonly status?: 200 | 201 | 202 | 204
  /** By default no body (204), or a file. */
  readonly response?: R
  /** Media type of the file that may be the answer instead of JSON (`FileAnswer`). */
  readonly fileType?: string
  /** Media type of the text that is the answer (`TextSource`). */
  readonly textType?: string
  /** Further successful answers (`Answer`). */
  readonly otherResponses?: { readonly [status: number]: Schema<unknown> }
  /** Beside the errors of the checks that every endpoint has (`declaredErrors`). */
  readonly errors?: readonly ApiErrorCode[]
}

/** A successful answer with another status than the declared one. */
export class Answer {
  readonly status: number
  readonly body: object
  /** Part of it failed and may succeed later: the same request with the same Idempotency-Key goes on. */
  readonly isUnfinished: boolean

  constructor(status: number, body: object, { isUnfinished = false }: { readonly isUnfinished?: boolean } = {}) {
    this.status = status
    this.body = body
    this.isUnfinished = isUnfinished
  }
}

/** A file where the declared answer is JSON, for clients that ask for it. */
export class FileAnswer {
  readonly file: FileSource

  constructor(file: FileSource) {
    this.file = file
  }
}

interface OneRound<Path extends string, Q, B, R extends Schema<unknown> | null, C extends Calls>
  extends Declaration<Path, Q, B, R> {
  readonly calls: (input: Input<Path, Q, B>) => C
  readonly reply: (answers: Answers<C>, input: Input<Path, Q, B>) => Reply<R> | Answer
}

/** For calls that depend on the answers of earlier calls. */
interface Rounds<Path extends string, Q, B, R extends Schema<unknown> | null> extends Declaration<Path, Q, B, R> {
  readonly run: (input: Input<Path, Q, B>, jmap: JmapClient) => Promise<Reply<R> | Answer | FileAnswer>
}

/** For answers that are files, or texts of unknown size. */
interface Streamed<Path extends string, Q, B> extends Declaration<Path, Q, B, null> {
  readonly stream: (input: Input<Path, Q, B>, jmap: JmapClient) => Promise<FileSource | TextSource>
}

/** @param body null: none */
export type Outcome =
  | { readonly status: number; readonly body: ResponseArguments | null; readonly isUnfinished?: boolean }
  | { readonly file: FileSource | TextSource }

/** JSON text of the body of an outcome; '' for none. */
export function toText(body: ResponseArguments | null): string {
  return body === null ? '' : writeArguments(body)
}

type Resolved = 'tier' | 'query' | 'body' | 'status' | 'response' | 'otherResponses' | 'errors'

/** An endpoint without the types of its input and answers, for the router and the OpenAPI document. */
export interface Endpoint extends Omit<Declaration<string, unknown, unknown, null>, Resolved> {
  /** null: no rate limit. */
  readonly tier: Tier | null
  readonly status: number
  readonly query: JsonSchema | null
  readonly body: JsonSchema | null
  /** Successful answers by status; null: no body, or a file. */
  readonly responses: ReadonlyMap<number, JsonSchema | null>
  /** All errors that it may answer with. */
  readonly errors: readonly ApiErrorCode[]
  /** Whether it answers with a file or a text. */
  readonly streams: boolean
  /** Whether a client may ask for a part of the answer. */
  readonly hasRanges: boolean
  /** Whether it reads one resource, no list. Its answer has an ETag. */
  readonly isSingle: boolean
  /** Whether it answers with the resource that it has changed, which has an ETag too. */
  readonly showsResource: boolean
  execute(input: Input<string, unknown, unknown>, jmap: JmapClient): Promise<Outcome>
}

export function endpoint<
  const Path extends string,
  C extends Calls,
  Q = unknown,
  B = unknown,
  R extends Schema<unknown> | null = null,
>(spec: OneRound<Path, Q, B, R, C>): Endpoint
export function endpoint<const Path extends string, Q = unknown, B = unknown, R extends Schema<unknown> | null = null>(
  spec: Rounds<Path, Q, B, R>,
): Endpoint
export function endpoint<const Path extends string, Q = unknown, B = unknown>(spec: Streamed<Path, Q, B>): Endpoint
export function endpoint(
  spec:
    | OneRound<string, unknown, unknown, Schema<unknown> | null, Calls>
    | Rounds<string, unknown, unknown, Schema<unknown> | null>
    | Streamed<string, unknown, unknown>,
): Endpoint {
  const { query, body, response, otherResponses = {}, status = 200, errors = [], ...declared } = spec
  const { method, scope } = spec
  const responses = new Map<number, JsonSchema | null>([[status, response?.json ?? null]])
  for (const [other, schema] of Object.entries(otherResponses)) responses.set(Number(other), schema.json)
  const asked = query?.json.properties ?? {}
  const traits = {
    isPublic: scope === null,
    isPost: method === 'POST',
    hasBody: body !== undefined,
    hasJson: body !== undefined && spec.bodyType === undefined,
    hasQuery: query !== undefined,
    hasCursor: 'cursor' in asked,
    isConditional: spec.resource !== undefined,
    isWholeOrganization: spec.wholeOrganization === true,
  }
  return {
    ...declared,
    tier: scope === null ? null : (spec.tier ?? (method === 'GET' ? 'read' : 'write')),
    status,
    query: query?.json ?? null,
    body: body?.json ?? null,
    responses,
    errors: declaredErrors(traits, errors),
    streams: 'stream' in spec,
    hasRanges: 'stream' in spec && spec.textType === undefined,
    isSingle: method === 'GET' && !('limit' in asked) && 'object' in (response?.json.properties ?? {}),
    showsResource: response !== undefined && response !== null && spec.resource?.responses.get(200) === response.json,
    async execute(input, jmap) {
      if (spec.wholeOrganization && isLimited(input.principal)) throw limitedKey()
      if ('stream' in spec) return { file: await spec.stream(input, jmap) }
      const result = 'run' in spec ? await spec.run(input, jmap) : spec.reply(await jmap.call(spec.calls(input)), input)
      if (result instanceof FileAnswer) return { file: result.file }
      const isOther = result instanceof Answer
      return {
        status: isOther ? result.status : status,
        body: (isOther ? result.body : result) as ResponseArguments | null,
        ...(isOther && { isUnfinished: result.isUnfinished }),
      }
    },
  }
}
