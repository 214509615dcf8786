/**
 * JMAP over HTTP (RFC 8620 2, 3.1, 6, 7.3) and WebSocket (RFC 8887), answered from node:http directly: Express costs more than a whole request
 * (spec/measured.md, HTTP and JSON). This folder owns URLs, methods, bodies and statuses; the core handles the content.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Channels } from '../../../jmap/push/channels.ts'
import type { Core } from '../../../jmap/services.ts'
import type { Limits } from '../../../jmap/type/limits.ts'
import type { UrlUse } from '../../../jmap/type/url-token.ts'
import type { Clock } from '../../base/clock.ts'
import { answerPreflight, type CorsOrigins, corsHeaders } from '../../base/http/cors.ts'
import { BodyReader } from '../../base/http/request-body.ts'
import { isCompressed } from '../../base/http/request-fields.ts'
import { setHeaders } from '../../base/http/respond.ts'
import { HTTP_DRAIN_MIN_BYTES, HTTP_MAX_RECEIVING_BYTES, HTTP_RETRY_AFTER_SECONDS } from '../../base/limits.ts'
import type { Logger } from '../../base/logger.ts'
import type { UnsentAnswers } from '../../base/unsent-answers.ts'
import type { ClientView } from '../client.ts'
import { type Identifier, identify } from '../identify.ts'
import { type HttpProblem, methodNotAllowed, notFound, problem } from '../problem.ts'
import { Slots } from '../slots.ts'
import { ApiHandler } from './api.ts'
import { download } from './download.ts'
import { EventSources } from './event-source.ts'
import type { JmapExchange } from './exchange.ts'
import { session } from './session.ts'
import { UploadHandler } from './upload.ts'
import { WebSockets } from './websocket.ts'

export interface JmapHttpDeps {
  readonly core: Pick<
    Core,
    'processText' | 'processMessage' | 'session' | 'upload' | 'download' | 'onStateChange' | 'push'
  >
  readonly limits: Limits
  readonly unsent: UnsentAnswers
  readonly authenticator: Identifier
  readonly client: ClientView
  readonly corsOrigins: CorsOrigins
  readonly clock: Clock
  readonly logger: Logger
}

const WEBSOCKET_PATH = '/jmap/ws'

/** RFC 9110 15.5.22 */
async function refusePlain(): Promise<void> {
  throw problem(426, 'This resource is a WebSocket (RFC 8887).', { Upgrade: 'websocket', Connection: 'Upgrade' })
}

interface Resource {
  readonly methods: readonly string[]
  /** Number of path segments after the resource's own. A slash at the end is ignored. */
  readonly parameters: number
  /** Browsers load it by themselves, with a token for this use in the URL. */
  readonly urlUse?: UrlUse
  run(exchange: JmapExchange): Promise<void>
}

export class JmapHttp {
  readonly #deps: JmapHttpDeps
  readonly #resources: ReadonlyMap<string, Resource>
  readonly #channels: Channels
  readonly #eventSources: EventSources
  readonly #webSockets: WebSockets

  constructor(deps: JmapHttpDeps) {
    const { core, limits, unsent, clock } = deps
    const bodies = new BodyReader({ all: { octets: HTTP_MAX_RECEIVING_BYTES, busy }, drain: HTTP_DRAIN_MIN_BYTES })
    const requests = new Slots(limits.maxConcurrentRequests)
    const api = new ApiHandler(core, limits, unsent, bodies, requests)
    const upload = new UploadHandler(core, limits, bodies)
    this.#deps = deps
    this.#channels = new Channels(core, clock)
    this.#eventSources = new EventSources(this.#channels, clock)
    this.#webSockets = new WebSockets({ ...deps, channels: this.#channels, requests })
    const readSession: Resource = { methods: ['GET', 'HEAD'], parameters: 0, run: (it) => session(core, it) }
    this.#resources = new Map<string, Resource>([
      ['/.well-known/jmap', readSession],
      ['/jmap/session', readSession],
      ['/jmap/api', { methods: ['POST'], parameters: 0, run: (it) => api.run(it) }],
      ['/jmap/upload', { methods: ['POST'], parameters: 1, run: (it) => upload.run(it) }],
      [
        '/jmap/download',
        { methods: ['GET', 'HEAD'], parameters: 3, urlUse: 'download', run: (it) => download(core, it) },
      ],
      [
        '/jmap/eventsource',
        { methods: ['GET'], parameters: 0, urlUse: 'events', run: (it) => this.#eventSources.run(it) },
      ],
      [WEBSOCKET_PATH, { methods: ['GET'], parameters: 0, run: refusePlain }],
    ])
  }

  /** Whether a path is answered here. */
  owns(path: string): boolean {
    return path.startsWith('/jmap/') || path === '/jmap' || path === '/.well-known/jmap'
  }

  /** @throws HttpProblem, and errors of the core */
  async handle(request: IncomingMessage, response: ServerResponse, path: string, search: string): Promise<void> {
    const { authenticator, client, corsOrigins } = this.#deps
    // Pitfall 1: browsers send a preflight request without credentials.
    setHeaders(response, corsHeaders(request.headers.origin, corsOrigins))
    const found = this.#find(path)
    if (!found) throw notFound()
    const { resource, segments } = found
    if (request.method === 'OPTIONS') {
      return answerPreflight(response, resource.methods)
    }
    if (!resource.methods.includes(request.method ?? '')) throw methodNotAllowed([...resource.methods, 'OPTIONS'])
    const ip = client.ip(request)
    const query = new URLSearchParams(search)
    const token = query.get('token')
    const { urlUse: use } = resource
    const principal = await identify(authenticator, request, ip, use && token !== null ? { token, use } : null)
    if (request.method === 'POST' && isCompressed(request.headers))
      throw problem(415, 'The request body must not be compressed.', { 'Accept-Encoding': 'identity' })
    await resource.run({ request, response, principal, segments, query, baseUrl: client.baseUrl(request), ip })
  }

  /** RFC 8887 4.2: a request to upgrade to WebSocket. @throws HttpProblem before anything is written */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, path: string): Promise<void> {
    if (path !== WEBSOCKET_PATH && path !== `${WEBSOCKET_PATH}/`) throw notFound()
    if (request.method !== 'GET') throw methodNotAllowed(['GET'])
    const { authenticator, client } = this.#deps
    const ip = client.ip(request)
    const principal = await identify(authenticator, request, ip)
    await this.#webSockets.run({ request, socket, head, principal, ip })
  }

  /** Ends event sources and WebSockets. */
  close(): void {
    this.#eventSources.close()
    this.#webSockets.close()
    this.#channels.closeAll()
  }

  #find(path: string): { resource: Resource; segments: string[] } | null {
    const exact = this.#resources.get(path)
    if (exact?.parameters === 0) return { resource: exact, segments: [] }
    const [, root, name, ...rest] = path.split('/')
    const resource = this.#resources.get(`/${root}/${name}`)
    if (!resource) return null
    const segments = rest.at(-1) === '' ? rest.slice(0, -1) : rest
    // The client may not have encoded slashes in the file name.
    const fits = segments.length === resource.parameters || (resource.parameters === 3 && segments.length > 3)
    return fits ? { resource, segments: segments.map(decode) } : null
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw problem(400, 'The path is not valid percent-encoding.')
  }
}

function busy(): HttpProblem {
  return problem(503, 'The server is receiving too much at present.', {
    'Retry-After': String(HTTP_RETRY_AFTER_SECONDS),
  })
}
