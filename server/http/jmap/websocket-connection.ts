/** One WebSocket: RFC 8887 4.3. Messages in are Requests and the two that switch push; out go Responses, RequestErrors, StateChanges. */
import type { RawData } from 'ws'
import { WebSocket } from 'ws'
import { limitProblem } from '../../../jmap/protocol/request-problem.ts'
import { requestError } from '../../../jmap/protocol/socket-message.ts'
import type { Channel } from '../../../jmap/push/channel.ts'
import type { ChangedStates } from '../../../jmap/push/state-snapshot.ts'
import { errorMessage } from '../../base/errors.ts'
import {
  PUSH_BACKLOG_BYTES,
  WEBSOCKET_BACKLOG_BYTES,
  WEBSOCKET_CLOSE_MS,
  WEBSOCKET_PING_MS,
  WEBSOCKET_TRUST_MS,
} from '../../base/push-limits.ts'
import type { WebSocketDeps } from './websocket.ts'

/** RFC 6455 7.4.1 */
const UNSUPPORTED_DATA = 1003
const POLICY_VIOLATION = 1008
const TOO_BIG = 1009

/** RFC 8887 4.3.1: a message over the limit is answered before the connection ends, which ws would end at once. */
export class BoundedSocket extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    if (code === TOO_BIG && this.readyState === WebSocket.OPEN)
      this.send(
        requestError(limitProblem('maxSizeRequest', 'The message has more octets than a request may have.'), null),
      )
    super.close(code, data)
  }
}

export class Connection {
  readonly #deps: WebSocketDeps
  #socket: BoundedSocket | null = null
  #channel: Channel | null = null
  #heard = true
  #underWay = 0
  #cancelPing: () => void = () => {}

  constructor(deps: WebSocketDeps) {
    this.#deps = deps
  }

  start(socket: BoundedSocket, channel: Channel): void {
    this.#socket = socket
    this.#channel = channel
    socket.on('message', (data, isBinary) => void this.#take(data, isBinary))
    socket.on('ping', () => this.#hear())
    socket.on('pong', () => this.#hear())
    // What breaks the protocol closes the connection, with the code that fits; there is nothing to add.
    socket.on('error', () => {})
    socket.on('close', () => this.#cancelPing())
    this.#ping()
  }

  /** A StateChange, with the push state that it brings the client to. */
  tell(changed: ChangedStates, pushState: string): void {
    this.#send(JSON.stringify({ '@type': 'StateChange', changed, pushState }))
  }

  isReady(): boolean {
    return this.#socket !== null && this.#socket.bufferedAmount <= PUSH_BACKLOG_BYTES
  }

  /** RFC 8887 4.2: the credentials are gone. */
  end(): void {
    this.close(POLICY_VIOLATION)
  }

  close(code: number): void {
    const socket = this.#socket
    if (!socket) return
    socket.close(code)
    this.#deps.clock.after(WEBSOCKET_CLOSE_MS, () => socket.terminate())
  }

  #hear(): void {
    this.#heard = true
  }

  async #take(data: RawData, isBinary: boolean): Promise<void> {
    this.#hear()
    // RFC 8887 4.3.1
    if (isBinary) return this.close(UNSUPPORTED_DATA)
    this.#underWay++
    this.#brake()
    try {
      if (await this.#channel!.isTrusted(WEBSOCKET_TRUST_MS)) await this.#answer(data as Buffer)
    } catch (error) {
      // The core answers what is wrong with a request; this is not the client's fault.
      this.#send(requestError({ type: 'about:blank', status: 500, detail: 'The request failed.' }, null))
      this.#deps.logger.error({ error: errorMessage(error) }, 'a request over a WebSocket failed')
    } finally {
      this.#underWay--
      this.#brake()
    }
  }

  async #answer(message: Buffer): Promise<void> {
    const { core, requests, limits } = this.#deps
    const { principal } = this.#channel!
    const { maxConcurrentRequests } = limits
    const release = requests.take(principal.credential)
    const answer = await core.processMessage(principal, message, release !== null).finally(() => release?.())
    if (answer.kind === 'busy') {
      const detail = `A client makes at most ${maxConcurrentRequests} requests at a time.`
      this.#send(requestError(limitProblem('maxConcurrentRequests', detail), answer.requestId))
    } else if (answer.kind === 'text') this.#send(answer.text)
    else if (answer.kind === 'pushDisable') this.#channel!.disable()
    else {
      const { changed, state } = await this.#channel!.enable(answer.types, answer.since)
      // RFC 8887 4.3.5.2: what was missed is told at once.
      if (Object.keys(changed).length > 0) this.tell(changed, state)
    }
  }

  /** A client that does not take its answers is not read from, so that what waits for it stays bounded. */
  #brake(): void {
    const socket = this.#socket!
    if (socket.readyState !== WebSocket.OPEN) return
    const full =
      socket.bufferedAmount > WEBSOCKET_BACKLOG_BYTES || this.#underWay > this.#deps.limits.maxConcurrentRequests
    if (full && !socket.isPaused) socket.pause()
    else if (!full && socket.isPaused) socket.resume()
  }

  #send(text: string): void {
    const socket = this.#socket!
    if (socket.readyState === WebSocket.OPEN) socket.send(text, () => this.#brake())
  }

  /** Proxies drop silent connections, and a peer that is gone without a word is noticed. */
  #ping(): void {
    this.#cancelPing = this.#deps.clock.after(WEBSOCKET_PING_MS, () => {
      const socket = this.#socket!
      // Who is not read from cannot be heard.
      if (!this.#heard && !socket.isPaused) return socket.terminate()
      this.#heard = false
      socket.ping()
      this.#ping()
    })
  }
}
