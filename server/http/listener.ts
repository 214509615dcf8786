/**
 * The HTTP listener: one node:http server that answers /jmap/* and health itself and passes the rest to Express
 * (spec/measured.md, HTTP and JSON). It owns the sockets, the timeouts, the common header fields and the graceful stop.
 */
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Router } from 'express'
import type { Clock } from '../base/clock.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { createServer, ServerResponse } from '../base/http/node-http.ts'
import { send } from '../base/http/respond.ts'
import { randomId } from '../base/ids.ts'
import {
  HTTP_HEADERS_MS,
  HTTP_KEEP_ALIVE_MS,
  HTTP_MAX_CONNECTIONS,
  HTTP_MAX_HEADER_BYTES,
  HTTP_REQUEST_MS,
  HTTP_SILENCE_MS,
  HTTP_STOP_MS,
} from '../base/limits.ts'
import type { Logger } from '../base/logger.ts'
import type { ClientView } from './client.ts'
import { type DomainHosts, isServiceHost } from './domain-hosts.ts'
import { toProblem } from './failures.ts'
import { setBaseHeaders } from './headers.ts'
import type { Health } from './health.ts'
import type { JmapHttp } from './jmap/routes.ts'
import { refuseUnparsed } from './parser-refusal.ts'
import { HttpProblem, methodNotAllowed, notFound, problem, sendJson, sendProblem } from './problem.ts'
import { createRestApp } from './rest-app.ts'

/** HTML pages under some paths. */
export interface Pages {
  owns(path: string): boolean
  /** The path without its secrets, for logs. By default the path. */
  logged?(path: string): string
  answer(request: IncomingMessage, response: ServerResponse, path: string, baseUrl: string): Promise<void>
  /** Whether a host is for these pages alone, so that nothing else is answered there but what they show. */
  keepsOut?(host: string, path: string): boolean
}

export interface HttpListenerDeps {
  readonly jmap: JmapHttp
  readonly rest: Router
  readonly client: ClientView
  readonly health: Health
  readonly domainHosts: Pick<DomainHosts, 'answer'>
  readonly pages: readonly Pages[]
  readonly clock: Clock
  readonly logger: Logger
}

export class HttpListener {
  readonly #deps: HttpListenerDeps
  readonly #server: Server
  readonly #rest: (request: IncomingMessage, response: ServerResponse) => void
  /** The latest answer on each connection. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>()
  #stopping = false

  constructor(deps: HttpListenerDeps) {
    this.#deps = deps
    this.#rest = createRestApp(deps.rest, deps.client, (request, response, error) =>
      this.#fail(request, response, error ?? notFound()),
    )
    this.#server = createServer(
      {
        maxHeaderSize: HTTP_MAX_HEADER_BYTES,
        headersTimeout: HTTP_HEADERS_MS,
        requestTimeout: HTTP_REQUEST_MS,
        keepAliveTimeout: HTTP_KEEP_ALIVE_MS,
        keepAlive: true,
        noDelay: true,
        // Other upgrades that clients propose, such as h2c, are ignored: the request is answered over HTTP/1.1.
        shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
      },
      (request, response) => void this.#answer(request, response),
    )
    this.#server.maxConnections = HTTP_MAX_CONNECTIONS
    this.#server.setTimeout(HTTP_SILENCE_MS)
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head))
    this.#server.on('clientError', (error, socket) =>
      refuseUnparsed(error, socket as Socket, this.#answers.get(socket), deps.logger),
    )
  }

  /**
   * @param opened listens on this port already; it is taken over
   * @throws Failure `configuration` that names the port if it cannot be opened
   */
  async start(host: string, port: number, opened: NetServer | null = null): Promise<{ host: string; port: number }> {
    if (opened) this.#server.listen(opened)
    else this.#server.listen(port, host)
    try {
      await once(this.#server, 'listening')
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      const why = taken ? 'is taken by another process' : errorMessage(error)
      throw new Failure('configuration', `http: port ${port} on ${host} ${why}`, { cause: error })
    }
    return { host, port: (this.#server.address() as AddressInfo).port }
  }

  /** Accepts no more requests, finishes those under way, then closes every connection. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#deps.jmap.close()
    this.#server.closeIdleConnections()
    const cancel = this.#deps.clock.after(HTTP_STOP_MS, () => this.#server.closeAllConnections())
    await closed
    cancel()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { jmap, client, domainHosts, pages } = this.#deps
    const [path = '/', search = ''] = split(request.url ?? '/')
    this.#answers.set(request.socket, response)
    setBaseHeaders(response, client.baseUrl(request).startsWith('https:'))
    // After stop() a connection is closed with its response instead of being kept alive.
    response.on('close', () => {
      if (this.#stopping) setImmediate(() => this.#server.closeIdleConnections())
    })
    const host = client.host(request)
    const ownerOf = () => pages.find((one) => one.owns(path))
    if (pages.some((one) => one.keepsOut?.(host, path))) {
      this.#log(request, response, ownerOf()?.logged?.(path) ?? path)
      return this.#fail(request, response, notFound())
    }
    if (path.startsWith('/v1/') || path.startsWith('/api/')) {
      this.#rest(request, response)
      return
    }
    const owner = ownerOf()
    this.#log(request, response, owner?.logged?.(path) ?? path)
    try {
      if (isServiceHost(host) && (await domainHosts.answer(request, response, host, path))) return
      if (jmap.owns(path)) await jmap.handle(request, response, path, search)
      else if (owner) await owner.answer(request, response, path, client.baseUrl(request))
      else await this.#answerOwn(request, response, path)
    } catch (error) {
      this.#fail(request, response, error)
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { jmap, client, clock, logger } = this.#deps
    const started = clock.now()
    const [path = '/'] = split(request.url ?? '/')
    socket.on('error', () => socket.destroy())
    try {
      if (this.#stopping) throw problem(503, 'The server is stopping.')
      await jmap.upgrade(request, socket, head, path)
      logger.info({ method: request.method, path, status: 101, ms: clock.now() - started }, 'http request')
    } catch (error) {
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket as Socket)
      response.on('finish', () => socket.end())
      setBaseHeaders(response, client.baseUrl(request).startsWith('https:'))
      this.#log(request, response, path)
      this.#fail(request, response, error)
    }
  }

  async #answerOwn(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (!OWN_PATHS.includes(path)) return this.#rest(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
    if (path === '/') {
      const base = this.#deps.client.baseUrl(request)
      send(response, 200, 'text/plain; charset=utf-8', INDEX.replaceAll('{base}', base))
    } else if (path === ICON) {
      // Browsers ask for it on pages that name none.
      response.setHeader('Cache-Control', 'public, max-age=86400')
      send(response, 204, null, '')
    } else if (path === '/healthz' || path === '/readyz') {
      const status = await this.#probe(path)
      sendJson(response, 200, JSON.stringify(status))
    }
  }

  /** @throws HttpProblem 503 */
  async #probe(path: '/healthz' | '/readyz'): Promise<object> {
    const { health } = this.#deps
    if (health.fault !== null) throw problem(503, health.fault)
    if (path === '/healthz') return { status: 'ok' }
    if (this.#stopping) throw problem(503, 'The server is stopping.')
    if (!(await health.isReady())) throw problem(503, health.fault ?? 'The store does not answer.')
    // The server is ready nevertheless: users can read and delete.
    return { status: 'ready', ...(!health.hasRoom && { storage: 'full' }) }
  }

  #log(request: IncomingMessage, response: ServerResponse, path: string): void {
    const { clock, logger } = this.#deps
    const requestId = randomId('req')
    const started = clock.now()
    response.setHeader('X-Request-Id', requestId)
    response.on('finish', () => {
      const fields = { request_id: requestId, method: request.method, path, status: response.statusCode }
      logger.info({ ...fields, ms: clock.now() - started }, 'http request')
    })
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const known = error instanceof HttpProblem ? error : toProblem(error)
    if (!(error instanceof HttpProblem) && !request.destroyed) {
      const stack = error instanceof Error ? error.stack : undefined
      const fields = { request_id: response.getHeader('X-Request-Id'), error: errorMessage(error), stack }
      this.#deps.logger.error(fields, 'http request failed')
    }
    // A partial response must not look complete.
    if (response.headersSent) request.destroy()
    else sendProblem(response, known)
  }
}

const ICON = '/favicon.ico'
const OWN_PATHS = ['/', ICON, '/healthz', '/readyz']

const INDEX = `Posthouse

JMAP session   {base}/.well-known/jmap
REST API       {base}/api/v1/openapi.json
Docs           {base}/docs
`

function split(target: string): [path: string, search: string] {
  const at = target.indexOf('?')
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
}
