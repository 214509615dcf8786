/**
 * An endpoint as data: what it takes, what it gives, and the JMAP calls it is made of. The route, the checks before it, its
 * validators and its part of the OpenAPI document derive from this. An endpoint must not reach the data by any other way than the
 * calls: `JmapClient` is all it gets.
 */

import type { Scope } from '../jmap/service/scopes.ts'
import type { Principal } from '../server/base/principal.ts'
import type { FileSource } from './files.ts'
import type { RestIds } from './ids.ts'
import type { Answers, Calls } from './jmap-calls.ts'
import type { JmapClient } from './jmap-client.ts'
import type { MessageTexts } from './message-texts.ts'
import type { Cursors } from './pagination.ts'
import type { ProblemCode } from './problem.ts'
import type { Tier } from './rate-tiers.ts'
import type { JsonSchema, Schema } from './schema.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What every endpoint may know of the request beside its input. */
export interface Context {
  readonly principal: Principal
  /** JMAP account id of the key's organization: the vendor types live there. */
  readonly organization: string
  readonly ids: RestIds
  readonly cursors: Cursors
  readonly messageTexts: MessageTexts
  /** Epoch ms. */
  readonly now: number
  readonly requestId: string
}

/** `/v1/domains/{domain_id}` has the parameter `domain_id`. A parameter is text: an id that is none leads nowhere, which is a 404. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<Rest>
  : unknown

export type Input<Path extends string, Q, B> = Context & {
  readonly params: PathParams<Path>
  readonly query: Q
  readonly body: B
}

/** What a handler gives back for a declared response. */
type Reply<R> = R extends Schema<infer T> ? T : null

interface Declaration<Path extends string, Q, B, R extends Schema<unknown> | null> {
  readonly method: Method
  readonly path: Path
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Any one of several is enough; null: no authentication. */
  readonly scope: Scope | readonly Scope[] | null
  /** null: not limited, for what needs no authentication. */
  readonly tier: Tier | null
  readonly query?: Schema<Q>
  readonly body?: Schema<B>
  /** Octets of the body, where the usual limit is not right. */
  readonly bodyLimit?: number
  /** Member of the body that means the same as the header Idempotency-Key (api/decisions.md D2). */
  readonly idempotencyMember?: string
  readonly status: 200 | 201 | 202 | 204
  /** null for 204 and for files. */
  readonly response: R
  /** Media type of the file that the answer may be instead, given with `answerFile()`. */
  readonly fileType?: string
  /** Further successful answers, given with `answer()`. */
  readonly otherResponses?: { readonly [status: number]: Schema<unknown> }
  /** Beyond those that every endpoint has: 401, 403 for the scope, 429, 500, 503, and 413, 415, 422 where there is a body. */
  readonly errors: readonly ProblemCode[]
}

/** A successful answer with another status than the declared one. */
export class Answer {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    this.status = status
    this.body = body
  }
}

/** A file where the declared answer is JSON, for those that ask for it. */
export class FileAnswer {
  readonly file: FileSource

  constructor(file: FileSource) {
    this.file = file
  }
}

export function answerFile(file: FileSource): FileAnswer {
  return new FileAnswer(file)
}

export function answer(status: number, body: unknown): Answer {
  return new Answer(status, body)
}

interface OneRound<Path extends string, Q, B, R extends Schema<unknown> | null, C extends Calls>
  extends Declaration<Path, Q, B, R> {
  readonly calls: (input: Input<Path, Q, B>) => C
  readonly reply: (answers: Answers<C>, input: Input<Path, Q, B>) => Reply<R> | Answer
}

/** For what needs the answer of one round to make the calls of the next. */
interface Rounds<Path extends string, Q, B, R extends Schema<unknown> | null> extends Declaration<Path, Q, B, R> {
  readonly run: (input: Input<Path, Q, B>, jmap: JmapClient) => Promise<Reply<R> | Answer | FileAnswer>
}

/** For what answers with a file instead of JSON. */
interface Streamed<Path extends string, Q, B> extends Declaration<Path, Q, B, null> {
  readonly stream: (input: Input<Path, Q, B>, jmap: JmapClient) => Promise<FileSource>
}

export type Outcome = { readonly status: number; readonly body: unknown } | { readonly file: FileSource }

/** Whether it answers with one resource, and no list. */
export function isSingle({ method, status, responses, query }: Endpoint): boolean {
  const members = (responses.get(status)?.['properties'] ?? {}) as object
  const asked = (query?.['properties'] ?? {}) as object
  return method === 'GET' && 'object' in members && !('limit' in asked)
}

/** An endpoint with its types erased, as router and OpenAPI read it. */
export interface Endpoint {
  readonly method: Method
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description: string | undefined
  readonly scopes: readonly Scope[] | null
  readonly tier: Tier | null
  readonly query: JsonSchema | null
  readonly body: JsonSchema | null
  readonly bodyLimit: number | undefined
  readonly idempotencyMember: string | undefined
  readonly status: number
  /** Successful answers by status; null has no body, or is a file. */
  readonly responses: ReadonlyMap<number, JsonSchema | null>
  readonly errors: readonly ProblemCode[]
  readonly streams: boolean
  readonly fileType: string | undefined
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
  const responses = new Map<number, JsonSchema | null>([[spec.status, spec.response?.json ?? null]])
  for (const [status, schema] of Object.entries(spec.otherResponses ?? {})) responses.set(Number(status), schema.json)
  return {
    method: spec.method,
    path: spec.path,
    operationId: spec.operationId,
    tag: spec.tag,
    summary: spec.summary,
    description: spec.description,
    scopes: spec.scope === null || Array.isArray(spec.scope) ? spec.scope : [spec.scope as Scope],
    tier: spec.tier,
    query: spec.query?.json ?? null,
    body: spec.body?.json ?? null,
    bodyLimit: spec.bodyLimit,
    idempotencyMember: spec.idempotencyMember,
    status: spec.status,
    responses,
    errors: spec.errors,
    streams: 'stream' in spec,
    fileType: spec.fileType,
    async execute(input, jmap) {
      if ('stream' in spec) return { file: await spec.stream(input, jmap) }
      const result = 'run' in spec ? await spec.run(input, jmap) : spec.reply(await jmap.call(spec.calls(input)), input)
      if (result instanceof FileAnswer) return { file: result.file }
      if (result instanceof Answer) return { status: result.status, body: result.body }
      return { status: spec.status, body: result }
    },
  }
}
