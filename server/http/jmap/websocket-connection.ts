/** One WebSocket: RFC 8887 4.3. It receives Requests and push switches, and sends Responses, RequestErrors and StateChanges. */
import type { RawData } from 'ws'
import { WebSocket } from 'ws'
import type { CalendarAlert } from '../../../jmap/calendars/reminders/calendar-alert.ts'
import type { AnswerBody } from '../../../jmap/protocol/answer-body.ts'
import { limitProblem } from '../../../jmap/protocol/request-problem.ts'
import { requestError } from '../../../jmap/protocol/socket-message.ts'
import type { Channel } from '../../../jmap/push/channel.ts'
import type { ChangedStates } from '../../../jmap/push/state-snapshot.ts'
import type { Core } from '../../../jmap/services.ts'
import type { Limits } from '../../../jmap/type/limits.ts'
import type { Clock } from '../../base/clock.ts'
import { errorMessage, isFailure } from '../../base/errors.ts'
import { WaitingClient } from '../../base/guard.ts'
import type { Logger } from '../../base/logger.ts'
import {
  PUSH_BACKLOG_BYTES,
  WEBSOCKET_BACKLOG_BYTES,
  WEBSOCKET_CLOSE_MS,
  WEBSOCKET_PING_MS,
  WEBSOCKET_TRUST_MS,
} from '../../base/push-limits.ts'
import type { Slots } from '../slots.ts'

export interface ConnectionDeps {
  readonly core: Pick<Core, 'processMessage'>
  readonly limits: Limits
  /** The slots of /jmap/api: RFC 8887 4.3.2. */
  readonly requests: Slots
  readonly clock: Clock
  readonly logger: Logger
}

/** RFC 6455 7.4.1 */
const UNSUPPORTED_DATA = 1003
const POLICY_VIOLATION = 1008
const TOO_BIG = 1009

/** RFC 8887 4.3.1: a message over the limit is answered before the connection closes. ws would close it at once. */
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
  readonly #deps: ConnectionDeps
  #socket: BoundedSocket | null = null
  #channel: Channel | null = null
  /** One for each request under way. */
  readonly #clients = new Set<WaitingClient>()
  #isAlive = true
  #inProgress = 0
  #cancelPing: () => void = () => {}

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
  }

  start(socket: BoundedSocket, channel: Channel): void {
    this.#socket = socket
    this.#channel = channel
    socket.on('message', (data, isBinary) => void this.#take(data, isBinary))
    socket.on('ping', () => this.#noteAlive())
    socket.on('pong', () => this.#noteAlive())
    // ws closes the connection on protocol errors, with the right code.
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#cancelPing()
      for (const client of this.#clients) client.leave()
    })
    this.#ping()
  }

  /** Sends a StateChange, with the push state after it. */
  tell(changed: ChangedStates, pushState: string): void {
    this.#send(JSON.stringify({ '@type': 'StateChange', changed, pushState }))
  }

  /** Sends CalendarAlerts (JMAP Calendars 6.4), each in a message. The next StateChange has the push state after them. */
  alert(alerts: readonly CalendarAlert[]): void {
    for (const alert of alerts) this.#send(JSON.stringify(alert))
  }

  isReady(): boolean {
    return this.#socket !== null && this.#socket.bufferedAmount <= PUSH_BACKLOG_BYTES
  }

  /** RFC 8887 4.2: the credentials are no longer valid. */
  end(): void {
    this.close(POLICY_VIOLATION)
  }

  close(code: number): void {
    const socket = this.#socket
    if (!socket) return
    socket.close(code)
    this.#deps.clock.after(WEBSOCKET_CLOSE_MS, () => socket.terminate())
  }

  #noteAlive(): void {
    this.#isAlive = true
  }

  async #take(data: RawData, isBinary: boolean): Promise<void> {
    this.#noteAlive()
    // RFC 8887 4.3.1
    if (isBinary) return this.close(UNSUPPORTED_DATA)
    this.#inProgress++
    this.#limitBacklog()
    try {
      if (await this.#channel!.isTrusted(WEBSOCKET_TRUST_MS)) await this.#answer(data as Buffer)
    } catch (error) {
      if (isFailure(error, 'abandoned')) return
      // The core answers faults of a request, so this is a fault of the server.
      this.#send(requestError({ type: 'about:blank', status: 500, detail: 'The request failed.' }, null))
      this.#deps.logger.error({ error: errorMessage(error) }, 'a request over a WebSocket failed')
    } finally {
      this.#inProgress--
      this.#limitBacklog()
    }
  }

  async #answer(message: Buffer): Promise<void> {
    const { core, requests, limits } = this.#deps
    const { principal } = this.#channel!
    const { maxConcurrentRequests } = limits
    const release = requests.take(principal.credential)
    const client = new WaitingClient()
    this.#clients.add(client)
    const done = () => {
      this.#clients.delete(client)
      client.leave()
    }
    const answer = await core
      .processMessage(principal, message, release !== null, client)
      .finally(() => release?.())
      .catch((error: unknown) => {
        done()
        throw error
      })
    if (answer.kind === 'text') return this.#send(answer.text, done)
    done()
    if (answer.kind === 'busy') {
      const detail = `A client makes at most ${maxConcurrentRequests} requests at a time.`
      this.#send(requestError(limitProblem('maxConcurrentRequests', detail), answer.requestId))
    } else if (answer.kind === 'pushDisable') this.#channel!.disable()
    else {
      const { changed, alerts, state } = await this.#channel!.enable(answer.types, answer.since)
      this.alert(alerts)
      // RFC 8887 4.3.5.2: missed changes are sent at once.
      if (Object.keys(changed).length > 0) this.tell(changed, state)
    }
  }

  /** Stops reading from a client that does not read its responses, so that their number stays bounded. */
  #limitBacklog(): void {
    const socket = this.#socket!
    if (socket.readyState !== WebSocket.OPEN) return
    const full =
      socket.bufferedAmount > WEBSOCKET_BACKLOG_BYTES || this.#inProgress > this.#deps.limits.maxConcurrentRequests
    if (full && !socket.isPaused) socket.pause()
    else if (!full && socket.isPaused) socket.resume()
  }

  /** @param done is called when it has been sent, or cannot be */
  #send(body: AnswerBody, done: () => void = () => {}): void {
    const socket = this.#socket!
    if (socket.readyState !== WebSocket.OPEN) {
      done()
      return
    }
    const data = typeof body === 'string' ? body : Buffer.concat(body)
    socket.send(data, { binary: false }, () => {
      done()
      this.#limitBacklog()
    })
  }

  /** Pings keep proxies from closing silent connections, and detect lost peers. */
  #ping(): void {
    this.#cancelPing = this.#deps.clock.after(WEBSOCKET_PING_MS, () => {
      const socket = this.#socket!
      // A paused socket receives no pong.
      if (!this.#isAlive && !socket.isPaused) return socket.terminate()
      this.#isAlive = false
      socket.ping()
      this.#ping()
    })
  }
}
