/**
 * RFC 8887: requests and push over one WebSocket. This file decides who may open one and how many; websocket-connection.ts handles the
 * messages. Compression is off: it costs memory per client, and a small message could expand to a large one.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Channels } from '../../../jmap/push/channels.ts'
import type { CorsOrigins } from '../../base/http/cors.ts'
import type { Principal } from '../../base/principal.ts'
import { WEBSOCKETS_MAX } from '../../base/push-limits.ts'
import { credentialGone, problem } from '../problem.ts'
import { Slots } from '../slots.ts'
import { BoundedSocket, Connection, type ConnectionDeps } from './websocket-connection.ts'

export interface WebSocketDeps extends ConnectionDeps {
  readonly channels: Channels
  readonly corsOrigins: CorsOrigins
}

/** An authenticated upgrade request. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly principal: Principal
  readonly ip: string
}

/** RFC 8887 4.2 */
const SUBPROTOCOL = 'jmap'

/** @param maxPayload octets of a whole message */
function createServer(maxPayload: number) {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    WebSocket: BoundedSocket,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: () => SUBPROTOCOL,
  })
}

export class WebSockets {
  readonly #deps: WebSocketDeps
  readonly #slots = new Slots(WEBSOCKETS_MAX)
  readonly #server: ReturnType<typeof createServer>
  readonly #open = new Set<Connection>()

  constructor(deps: WebSocketDeps) {
    this.#deps = deps
    this.#server = createServer(deps.limits.maxSizeRequest)
  }

  /** @throws HttpProblem 400, 403, 426, 429 before anything is written */
  async run(upgrade: Upgrade): Promise<void> {
    const { request, socket, head, principal, ip } = upgrade
    this.#check(request)
    const release = this.#slots.take(principal.credential)
    if (!release) throw problem(429, `A client has at most ${WEBSOCKETS_MAX} WebSockets.`)
    socket.on('close', release)
    const connection = new Connection(this.#deps)
    const channel = await this.#deps.channels.open(principal, ip, connection).catch((error: unknown) => {
      release()
      throw error
    })
    if (!channel) {
      release()
      throw credentialGone()
    }
    const close = () => {
      this.#open.delete(connection)
      this.#deps.channels.close(channel)
    }
    socket.on('close', close)
    if (socket.destroyed) return close()
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      this.#open.add(connection)
      connection.start(opened, channel)
    })
  }

  /** RFC 6455 7.4.1: 1001, going away. */
  close(): void {
    for (const connection of this.#open) connection.close(1001)
  }

  #check(request: IncomingMessage): void {
    const offered = String(request.headers['sec-websocket-protocol'] ?? '').split(',')
    if (!offered.some((name) => name.trim() === SUBPROTOCOL))
      throw problem(400, 'The WebSocket subprotocol here is jmap: name it in Sec-WebSocket-Protocol.')
    if (request.headers['sec-websocket-version'] !== '13')
      throw problem(426, 'The WebSocket version here is 13.', { 'Sec-WebSocket-Version': '13', Upgrade: 'websocket' })
    if (!/^[A-Za-z0-9+/]{22}==$/.test(String(request.headers['sec-websocket-key'] ?? '')))
      throw problem(400, 'Sec-WebSocket-Key must be 16 octets in base64.')
    if (!this.#mayOpen(request)) throw problem(403, 'Pages of this origin may not open a WebSocket here.')
  }

  /**
   * RFC 6455 10.2: any page on the web can open a WebSocket, and the browser adds a stored password. So pages of other origins must be
   * named in the settings; `*` is not enough.
   */
  #mayOpen({ headers }: IncomingMessage): boolean {
    const { origin, host } = headers
    if (origin === undefined || URL.parse(origin)?.host === host) return true
    const { corsOrigins } = this.#deps
    return corsOrigins !== '*' && corsOrigins.includes(origin)
  }
}
