/**
 * An SMTP listener: smtp-server with connections of our own class, limits, a periodic check of time limits, and a stop that lets messages under
 * way finish.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import type { SMTPServer as Library } from 'smtp-server'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage, Failure } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import { SMTP_IDLE_MS, SMTP_STOP_MS, SMTP_SWEEP_MS } from '../../server/base/smtp-limits.ts'
import type { ClientRateLimiter } from './client-rate-limiter.ts'
import { Connection, type ConnectionHost } from './connection.ts'
import { ConnectionCounter } from './connection-counter.ts'
import type { ReceivingBudget } from './data-parser.ts'
import { DEFAULT_SMTP_LIMITS, type SmtpLimits } from './limits.ts'
import { plainAddress, receiveProxyHeader } from './receive-proxy-header.ts'
import { type Reply, reply } from './reply.ts'
import type { SmtpHandlers } from './session.ts'
import { SMTPServer } from './smtp-server.ts'

export interface Endpoint {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

export interface TlsMaterial {
  /** PEM. */
  readonly key: string | Buffer
  readonly cert: string | Buffer
}

export interface SmtpServerOptions {
  readonly hostname: string
  /** In errors: `smtp`, `submission`, `submissions`. */
  readonly service: string
  readonly handlers: SmtpHandlers
  readonly tls: TlsMaterial | null
  /** TLS from the first octet (RFC 8314 3.3). */
  readonly implicitTls?: boolean
  readonly maxCommandBytes: number
  readonly limits?: Partial<SmtpLimits>
  /** Limits the rate of clients; without it there is no limit. */
  readonly rateLimiter?: ClientRateLimiter
  /** Whether the peer at an address is a load balancer that sends a PROXY header. */
  readonly isBalancer?: (address: string) => boolean
  readonly clock: Clock
  readonly log: Logger
}

// Commands of the library that this server does not offer.
const UNSUPPORTED = ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL']

export class SmtpServer extends SMTPServer implements ConnectionHost {
  readonly handlers: SmtpHandlers
  readonly limits: SmtpLimits
  readonly maxCommandBytes: number
  readonly budget: ReceivingBudget
  readonly rateLimiter: ClientRateLimiter | null
  readonly clock: Clock
  readonly log: Logger
  stopping = false
  readonly #service: string
  readonly #isBalancer: (address: string) => boolean
  readonly #counter: ConnectionCounter
  readonly #admitted = new Set<Connection>()
  /** By id. */
  readonly #open = new Map<string, Connection>()
  #cancelTimeoutCheck: () => void = () => {}

  constructor(options: SmtpServerOptions) {
    const { tls, handlers, implicitTls } = options
    const limits = { ...DEFAULT_SMTP_LIMITS, ...options.limits }
    const disabled = [
      ...UNSUPPORTED,
      ...(tls && !implicitTls ? [] : ['STARTTLS']),
      ...(handlers.authenticate ? [] : ['AUTH']),
    ]
    super({
      name: options.hostname,
      heloResponse: '%s',
      disableReverseLookup: true,
      disabledCommands: disabled,
      authMethods: ['PLAIN', 'LOGIN'],
      authOptional: true,
      hideENHANCEDSTATUSCODES: false,
      hideDSN: false,
      logger: false,
      // It limits the TLS handshake; the later time limits are checked by `expire`.
      socketTimeout: SMTP_IDLE_MS,
      size: limits.maxMessageBytes,
      maxClients: limits.maxConnections,
      ...(tls && { key: tls.key, cert: tls.cert, minVersion: 'TLSv1.2' as const }),
      ...(implicitTls && { secure: true }),
    })
    this.handlers = handlers
    this.limits = limits
    this.maxCommandBytes = options.maxCommandBytes
    this.budget = { used: 0, limit: this.limits.maxReceivingBytes }
    this.rateLimiter = options.rateLimiter ?? null
    this.#isBalancer = options.isBalancer ?? (() => false)
    this.clock = options.clock
    this.log = options.log
    this.#service = options.service
    this.#counter = new ConnectionCounter(limits.maxConnectionsPerAddress, limits.maxConnectionsPerNetwork)
    // Without a listener, an 'error' event (such as a client's reset) ends the process.
    this.on('error', (error: Error) => this.log.debug({ error: error.message }, 'an SMTP connection failed'))
  }

  override _expectsProxyHeader(socket: Socket): boolean {
    return this.#isBalancer(plainAddress(socket.remoteAddress ?? ''))
  }

  /** The library reads version 1 only. Where no header is expected, the connection goes on at once. */
  override _handleProxy(socket: Socket, callback: Parameters<Library['_handleProxy']>[1]): void {
    const id = randomBytes(10).toString('hex')
    if (!this._expectsProxyHeader(socket)) {
      setImmediate(() => callback(null, { id }))
      return
    }
    receiveProxyHeader(socket, this.clock).then(
      (source) => callback(null, source ? { id, remoteAddress: source.address, remotePort: source.port } : { id }),
      (error: Error) => {
        this.log.warn(
          { balancer: socket.remoteAddress, error: error.message },
          'a load balancer sent no valid PROXY header',
        )
        callback(error)
      },
    )
  }

  override connect(socket: Socket, options?: SMTPConnectionOptions | null): void {
    const connection = new Connection(this, socket, options)
    this.connections.add(connection)
    this.#open.set(connection.id, connection)
    connection.on('error', (error: Error) => this._onError(error))
    connection.init()
  }

  override onAuth(
    auth: Parameters<Library['onAuth']>[0],
    session: Parameters<Library['onAuth']>[1],
    callback: Parameters<Library['onAuth']>[2],
  ): void {
    const connection = this.#open.get(session.id)
    const answer = connection?.authenticate(auth.username ?? '', auth.password ?? '') ?? Promise.resolve(null)
    answer.then(
      (principal) => callback(null, principal ? { user: principal } : { responseCode: 535, message: AUTH_FAILED }),
      (error: unknown) => {
        this.log.error({ session: session.id, error: errorMessage(error) }, 'authentication could not be checked')
        callback(null, { responseCode: 454, message: '4.7.0 Temporary authentication failure' })
      },
    )
  }

  /** Judges a new connection: a refusal, or null. */
  admit(connection: Connection): Reply | null {
    if (this.stopping) return reply(421, '4.3.2', 'Server shutting down')
    if (this.connections.size > this.limits.maxConnections) return reply(421, '4.3.2', 'Too many connections')
    if (!this.#counter.enter(connection.remoteAddress))
      return reply(421, '4.7.0', 'Too many connections from your network')
    this.#admitted.add(connection)
    if (this.rateLimiter?.connection(connection.remoteAddress) === false)
      return reply(421, '4.7.0', 'Too much from your network in a short time, try again later')
    return null
  }

  /** The socket is closed. */
  forget(connection: Connection): void {
    this.leave(connection)
    this.#open.delete(connection.id)
  }

  /** The session has ended; its socket may still wait for the client to close. */
  leave(connection: Connection): void {
    if (this.#admitted.delete(connection)) this.#counter.leave(connection.remoteAddress)
  }

  /** @throws Failure `configuration` with the port when the port cannot be used. */
  async start({ host, port }: Endpoint): Promise<Endpoint> {
    try {
      this.listen(port, host)
      // `once` rejects on an 'error' of the socket server. The library emits the same error on `this` as well.
      await once(this.server, 'listening')
    } catch (error) {
      const why =
        (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is in use by another process' : errorMessage(error)
      throw new Failure('configuration', `${this.#service}: port ${port} on ${host} ${why}`, { cause: error })
    }
    const checkTimeouts = () => {
      for (const connection of this.#open.values()) connection.expire(this.clock.now())
      this.#cancelTimeoutCheck = this.clock.after(SMTP_SWEEP_MS, checkTimeouts)
    }
    this.#cancelTimeoutCheck = this.clock.after(SMTP_SWEEP_MS, checkTimeouts)
    return { host, port: (this.server.address() as AddressInfo).port }
  }

  /** Accepts no more connections. Messages whose DATA has begun get their reply; other connections are closed. */
  async stop(): Promise<void> {
    if (this.stopping) return
    this.stopping = true
    this.#cancelTimeoutCheck()
    if (!this.server.listening) return
    const closed = once(this.server, 'close')
    this.server.close()
    for (const socket of this._pendingSockets.values()) socket.destroy()
    for (const connection of [...this.#open.values()]) if (!connection.inMessage) connection.shutDown()
    const cancel = this.clock.after(SMTP_STOP_MS, () => {
      for (const connection of [...this.#open.values()]) connection._socket.destroy()
    })
    await closed
    cancel()
  }
}

const AUTH_FAILED = '5.7.8 Authentication credentials invalid'
