/** Starts an Express app with REST routes on a free port, and sends requests to it. */
import assert from 'node:assert'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Router } from 'express'
import type { KeyRefusal } from '../../jmap/directory/authentication.ts'
import type { Invocation, JmapRequest } from '../../jmap/protocol/messages.ts'
import type { Core } from '../../jmap/services.ts'
import { restIds } from '../../rest/access/ids.ts'
import type { Tag } from '../../rest/endpoint.ts'
import { type RestConfig, type RestDeps, UNDECLARED } from '../../rest/pipeline/router.ts'
import { ManualClock } from '../../server/base/clock.ts'
import { IdCodec } from '../../server/base/ids.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { type Logger, silentLogger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import { UnsentAnswers } from '../../server/base/unsent-answers.ts'
import { MemoryIdempotency } from './memory-idempotency.ts'

export const CODEC = new IdCodec(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]))

export const OWNER: Principal = {
  kind: 'apiKey',
  organization: 1,
  mailboxes: 'all',
  ownsOrganization: true,
  scopes: null,
  username: 'key of the owner',
  credential: 'key-1',
}

/** Tag of endpoints that a test declares. */
export const TAG: Tag = { name: 'Things', description: 'Things of a test.' }

export type Script = (args: JsonObject, principal: Principal) => JsonObject

/** A Core that answers methods from a table, and records the requests. */
export class ScriptedCore implements Pick<Core, 'authenticate' | 'refusalOf' | 'process' | 'upload' | 'download'> {
  readonly keys = new Map<string, Principal>([['sk_owner', OWNER]])
  readonly refusals = new Map<string, KeyRefusal>()
  readonly methods = new Map<string, Script>()
  readonly requests: JmapRequest[] = []
  readonly principals: Principal[] = []

  async authenticate(credential: Parameters<Core['authenticate']>[0]): Promise<Principal | null> {
    return credential.kind === 'bearer' ? (this.keys.get(credential.token) ?? null) : null
  }

  async refusalOf(token: string) {
    return this.refusals.get(token) ?? null
  }

  async process(principal: Principal, request: JmapRequest) {
    this.requests.push(request)
    this.principals.push(principal)
    const methodResponses = request.methodCalls.map(([name, args, id]): Invocation => {
      const script = this.methods.get(name)
      const answer = script ? script(args, principal) : { type: 'unknownMethod' }
      return 'type' in answer ? ['error', answer, id] : [name, answer, id]
    })
    return { methodResponses, sessionState: '0' }
  }

  async upload() {
    return null
  }

  async download() {
    return null
  }
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any
  readonly text: string
}

export interface Ask {
  /** null: no Authorization header. */
  readonly key?: string | null
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestServer {
  readonly url: string
  ask(method: string, path: string, ask?: Ask): Promise<TestAnswer>
  close(): Promise<void>
}

export interface TestDeps extends RestDeps {
  readonly clock: ManualClock
}

/** An undeclared response ends the process of the test, so that it is noticed. */
export const strictLogger: Logger = {
  ...silentLogger,
  error(fields, message) {
    if (message === UNDECLARED) setImmediate(() => assert.fail(JSON.stringify(fields)))
  },
}

/** @param over replaces parts of a server without rate limits that checks its answers */
export function testDeps(
  core: RestDeps['core'],
  over: Partial<Omit<RestDeps, 'clock' | 'config'>> & { config?: Partial<RestConfig>; clock?: ManualClock } = {},
): TestDeps {
  const clock = over.clock ?? new ManualClock()
  const off = { read: 0, write: 0, send: 0, verification: 0, failedAuth: 0 }
  const config: RestConfig = {
    cursorKey: new Uint8Array(32),
    rates: off,
    corsOrigins: '*',
    checkAnswers: true,
    showsWarnings: true,
    ...over.config,
  }
  return {
    core,
    clock,
    logger: over.logger ?? strictLogger,
    ids: over.ids ?? restIds(CODEC),
    idempotency: over.idempotency ?? new MemoryIdempotency(clock),
    baseUrl: over.baseUrl ?? (() => 'https://mail.example.test'),
    isAvailable: over.isAvailable ?? (async () => true),
    unsent: over.unsent ?? new UnsentAnswers(),
    config,
  }
}

/** @param key of requests that name none */
export async function startRest(router: Router, key = 'sk_owner'): Promise<TestServer> {
  const app = express()
  app.disable('x-powered-by')
  app.use(router)
  app.use((_request, response) => {
    response.status(418).send('not of rest')
  })
  const server = createServer(app)
  // The client closes idle connections. If the server did, a slow machine would close one that is about to be used.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    ask: (method, path, ask = {}) => askServer(url, key, method, path, ask),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function askServer(url: string, key: string, method: string, path: string, ask: Ask): Promise<TestAnswer> {
  const headers = new Headers(ask.headers)
  const usedKey = ask.key === undefined ? key : ask.key
  if (usedKey !== null) headers.set('Authorization', `Bearer ${usedKey}`)
  const body = ask.raw ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body))
  if (ask.body !== undefined) headers.set('Content-Type', 'application/json')
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : null }
}
