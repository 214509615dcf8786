/**
 * The only client for HTTP requests to URLs of users: push subscriptions, webhooks, images (promise W3). The host name is resolved when the
 * connection is made, all its addresses must be public, and the connection goes to these addresses, so that a later change of the name has
 * no effect. Redirects are followed only on request, and each is checked like the first URL. Time and size are bounded.
 */
import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import {
  EGRESS_CONNECT_MS,
  EGRESS_CONNECTIONS_PER_HOST,
  EGRESS_IDLE_MS,
  EGRESS_MAX_BODY_BYTES,
  EGRESS_MAX_HEADER_BYTES,
  EGRESS_TIMEOUT_MS,
} from '../base/push-limits.ts'
import { checkedLookup } from './checked-lookup.ts'
import { EgressError } from './egress-error.ts'
import { createReach, type Reach, type ReachOptions } from './reach.ts'

export { EgressError, type EgressFault } from './egress-error.ts'

export interface EgressRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Allowed schemes; by default only https. */
  readonly protocols?: readonly ('https:' | 'http:')[]
  /** Redirects to follow; by default none. */
  readonly redirects?: number
  /** Milliseconds for the whole request. */
  readonly timeoutMs?: number
  /** Octets of the answer's body. */
  readonly maxBytes?: number
  /** Only the status matters: a body that is too large or too late is not read to its end. */
  readonly isStatusEnough?: boolean
}

export interface EgressResponse {
  readonly status: number
  /** Names in lower case; the first of several fields with one name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** URL of the answer, after redirects. */
  readonly url: string
}

export interface EgressOptions extends ReachOptions {
  readonly clock: Clock
  /** Concurrent connections to one host. Independent users may name the same host. */
  readonly connectionsPerHost?: number
  /** Certificate authorities instead of the system's, PEM. */
  readonly ca?: string
  /** Instead of the system's resolver. */
  readonly lookup?: LookupFunction
}

/** The function that workers call. */
export type SafeFetch = (url: string, request?: EgressRequest) => Promise<EgressResponse>

export class Egress {
  readonly #clock: Clock
  readonly #reach: Reach
  readonly #options: Agent.Options
  /** Made at the first request: until then the client is not loaded. */
  #agent: Promise<Agent> | null = null
  #isClosed = false

  constructor(options: EgressOptions) {
    const { clock, ca, lookup = systemLookup as LookupFunction } = options
    const { connectionsPerHost: connections = EGRESS_CONNECTIONS_PER_HOST } = options
    this.#clock = clock
    this.#reach = createReach(options)
    this.#options = {
      connect: {
        lookup: checkedLookup(this.#reach, lookup),
        timeout: EGRESS_CONNECT_MS,
        ...(ca !== undefined && { ca }),
      },
      connections,
      keepAliveTimeout: EGRESS_IDLE_MS,
      keepAliveMaxTimeout: EGRESS_IDLE_MS,
      maxHeaderSize: EGRESS_MAX_HEADER_BYTES,
      pipelining: 1,
    }
  }

  /** @throws EgressError */
  async fetch(address: string, request: EgressRequest = {}): Promise<EgressResponse> {
    const abort = new AbortController()
    const { timeoutMs = EGRESS_TIMEOUT_MS } = request
    const cancel = this.#clock.after(timeoutMs, () =>
      abort.abort(new EgressError('timeout', `no answer within ${timeoutMs} ms`)),
    )
    try {
      return await this.#follow(address, request, abort.signal)
    } catch (error) {
      throw toEgressError(abort.signal.aborted ? abort.signal.reason : error)
    } finally {
      cancel()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await (await this.#agent)?.destroy()
  }

  #loadAgent(): Promise<Agent> {
    if (this.#isClosed) throw new EgressError('failed', 'the client is closed')
    this.#agent ??= import('undici').then(({ Agent }) => new Agent(this.#options))
    return this.#agent
  }

  async #follow(address: string, request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const { protocols, redirects = 0 } = request
    let step: EgressRequest = request
    for (let url = address, left = redirects; ; left--) {
      const fault = this.#reach.fault(url, protocols)
      if (fault !== null) throw new EgressError('refused', fault)
      const answer = await this.#once(url, step, signal)
      const { location } = answer.headers
      if (redirects === 0 || location === undefined || ![301, 302, 303, 307, 308].includes(answer.status)) return answer
      if (left === 0) throw new EgressError('tooManyRedirects', `more than ${redirects} redirects`)
      const next = URL.parse(location, url)
      if (!next) throw new EgressError('refused', 'a redirect to what is no address')
      step = redirected(step, answer.status, new URL(url).origin === next.origin)
      url = next.href
    }
  }

  async #once(address: string, request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> {
    const { origin, pathname, search } = new URL(address)
    const { method = 'GET', headers = {}, body = null, maxBytes = EGRESS_MAX_BODY_BYTES, isStatusEnough } = request
    const agent = await this.#loadAgent()
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method,
      headers,
      body: body as Buffer | string | null,
      signal,
    })
    return {
      status: answer.statusCode,
      headers: plainHeaders(answer.headers),
      body: isStatusEnough ? await readSome(answer.body, maxBytes) : await readBody(answer.body, maxBytes),
      url: address,
    }
  }
}

/** RFC 9110 15.4: the request after a redirect. Fields that are meant for one host are not sent to another. */
function redirected(request: EgressRequest, status: number, sameOrigin: boolean): EgressRequest {
  const { body, method = 'GET', headers = {}, ...rest } = request
  const toGet = status === 303 || ((status === 301 || status === 302) && method === 'POST')
  const dropped = [...(toGet ? ['content-type', 'content-encoding'] : []), ...(sameOrigin ? [] : SECRET_HEADERS)]
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.includes(name)))
  return toGet
    ? { ...rest, method: method === 'HEAD' ? 'HEAD' : 'GET', headers: kept }
    : { ...rest, method, headers: kept, ...(body !== undefined && { body }) }
}

const SECRET_HEADERS = ['authorization', 'cookie', 'proxy-authorization']

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value[0]! : value]],
    ),
  )
}

async function readBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new EgressError('tooLarge', `the answer has more than ${maxBytes} octets`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

/** At most the first `maxBytes`, or what arrived before the answer broke off. */
async function readSome(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      // Leaving the loop destroys the stream and its connection.
      if (size >= maxBytes) break
    }
  } catch {
    // The answer broke off or took too long.
  }
  return Buffer.concat(chunks, size).subarray(0, maxBytes)
}

function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error
  const cause = (error as { cause?: unknown }).cause
  if (cause instanceof EgressError) return cause
  const { code } = error as { code?: unknown }
  const timedOut = /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$/.test(String(code))
  const isOther = code === 'ERR_TLS_CERT_ALTNAME_INVALID'
  const fault = timedOut ? 'timeout' : isOther ? 'wrongName' : 'failed'
  return new EgressError(fault, errorMessage(error), { cause: error })
}
