/** A listener: smtp-server with our connections, its limits, its sweep, and a stop that finishes what was begun. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage, Failure } from '../../server/base/errors.ts'
import {
  SMTP_IDLE_MS,
  SMTP_MAX_AUTH_FAILURES,
  SMTP_MAX_CONNECTIONS,
  SMTP_MAX_CONNECTIONS_PER_ADDRESS,
  SMTP_MAX_CONNECTIONS_PER_NETWORK,
  SMTP_MAX_ERRORS,
  SMTP_MAX_MESSAGE_BYTES,
  SMTP_MAX_MESSAGES_PER_CONNECTION,
  SMTP_MAX_RECEIVING_BYTES,
  SMTP_MAX_RECIPIENTS,
  SMTP_STOP_MS,
  SMTP_SWEEP_MS,
} from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import { Connection } from './connection.ts'
import { ConnectionCounter } from './connection-counter.ts'
import type { ReceivingBudget } from './data-parser.ts'
import type { Pace } from './pace.ts'
import { plainAddress, receiveProxyHeader } from './proxied.ts'
import { type Reply, reply } from './reply.ts'
import type { SmtpHandlers } from './session.ts'

export interface Endpoint {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
}

export interface TlsMaterial {
  /** PEM. */
  readonly key: string | Buffer
  readonly cert: string | Buffer
}

/** What operators, and tests, may set otherwise than server/base/limits.ts has it. */
export interface SmtpLimits {
  readonly maxMessageBytes: number
  readonly maxReceivingBytes: number
  readonly maxRecipients: number
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
  readonly maxConnectionsPerNetwork: number
  readonly maxMessagesPerConnection: number
  readonly maxErrors: number
  readonly maxAuthFailures: number
}

const DEFAULT_SMTP_LIMITS: SmtpLimits = {
  maxMessageBytes: SMTP_MAX_MESSAGE_BYTES,
  maxReceivingBytes: SMTP_MAX_RECEIVING_BYTES,
  maxRecipients: SMTP_MAX_RECIPIENTS,
  maxConnections: SMTP_MAX_CONNECTIONS,
  maxConnectionsPerAddress: SMTP_MAX_CONNECTIONS_PER_ADDRESS,
  maxConnectionsPerNetwork: SMTP_MAX_CONNECTIONS_PER_NETWORK,
  maxMessagesPerConnection: SMTP_MAX_MESSAGES_PER_CONNECTION,
  maxErrors: SMTP_MAX_ERRORS,
  maxAuthFailures: SMTP_MAX_AUTH_FAILURES,
}

export interface SmtpServerOptions {
  readonly hostname: string
  /** For messages: `smtp`, `submission`, `submissions`. */
  readonly service: string
  readonly handlers: SmtpHandlers
  readonly tls: TlsMaterial | null
  /** TLS from the first octet (RFC 8314 3.3). */
  readonly implicitTls?: boolean
  readonly maxCommandBytes: number
  readonly limits?: Partial<SmtpLimits>
  /** How fast clients may be; without it as fast as they like. */
  readonly pace?: Pace
  /** Whether the peer at an address is a balancer of ours, that says first where its client is (the PROXY protocol). */
  readonly isBalancer?: (address: string) => boolean
  readonly clock: Clock
  readonly log: Logger
}

// Commands of the library that this server does not speak.
const NEVER = ['XCLIENT', 'XFORWARD', 'WIZ', 'SHELL', 'KILL']

export class SmtpServer extends SMTPServer {
  readonly handlers: SmtpHandlers
  readonly limits: SmtpLimits
  readonly maxCommandBytes: number
  readonly budget: ReceivingBudget
  readonly pace: Pace | null
  readonly clock: Clock
  readonly log: Logger
  stopping = false
  readonly #service: string
  readonly #isBalancer: (address: string) => boolean
  readonly #counter: ConnectionCounter
  readonly #admitted = new Set<Connection>()
  /** By id. */
  readonly #open = new Map<string, Connection>()
  #cancelSweep: () => void = () => {}

  constructor(options: SmtpServerOptions) {
    const { tls, handlers, implicitTls } = options
    const disabled = [
      ...NEVER,
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
      // The handshake's own time; everything after it is the sweep's.
      socketTimeout: SMTP_IDLE_MS,
      size: options.limits?.maxMessageBytes ?? SMTP_MAX_MESSAGE_BYTES,
      maxClients: options.limits?.maxConnections ?? SMTP_MAX_CONNECTIONS,
      ...(tls && { key: tls.key, cert: tls.cert, minVersion: 'TLSv1.2' as const }),
      ...(implicitTls && { secure: true }),
    })
    this.handlers = handlers
    this.limits = { ...DEFAULT_SMTP_LIMITS, ...options.limits }
    this.maxCommandBytes = options.maxCommandBytes
    this.budget = { used: 0, limit: this.limits.maxReceivingBytes }
    this.pace = options.pace ?? null
    this.#isBalancer = options.isBalancer ?? (() => false)
    this.clock = options.clock
    this.log = options.log
    this.#service = options.service
    this.#counter = new ConnectionCounter(this.limits.maxConnectionsPerAddress, this.limits.maxConnectionsPerNetwork)
    // performance.md: without a listener a client's reset ends the process.
    this.on('error', (error: Error) => this.log.debug({ error: error.message }, 'an SMTP connection broke'))
  }

  override _expectsProxyHeader(socket: Socket): boolean {
    return this.#isBalancer(plainAddress(socket.remoteAddress ?? ''))
  }

  /** The library reads version 1 only. Ends with no error and without options of its own where no header is expected. */
  override _handleProxy(socket: Socket, callback: Parameters<SMTPServer['_handleProxy']>[1]): void {
    const id = randomBytes(10).toString('hex')
    if (!this._expectsProxyHeader(socket)) {
      setImmediate(() => callback(null, { id }))
      return
    }
    receiveProxyHeader(socket, this.clock).then(
      (source) => callback(null, source ? { id, remoteAddress: source.address, remotePort: source.port } : { id }),
      (error: Error) => {
        this.log.warn({ balancer: socket.remoteAddress, error: error.message }, 'a balancer did not say who connects')
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
    auth: Parameters<SMTPServer['onAuth']>[0],
    session: Parameters<SMTPServer['onAuth']>[1],
    callback: Parameters<SMTPServer['onAuth']>[2],
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

  /** Whether a new connection may stay: a refusal, or null. */
  admit(connection: Connection): Reply | null {
    if (this.stopping) return reply(421, '4.3.2', 'Server shutting down')
    if (this.connections.size > this.limits.maxConnections) return reply(421, '4.3.2', 'Too many connections')
    if (!this.#counter.enter(connection.remoteAddress))
      return reply(421, '4.7.0', 'Too many connections from your network')
    this.#admitted.add(connection)
    if (this.pace?.connection(connection.remoteAddress) === false)
      return reply(421, '4.7.0', 'Too much from your network in a short time, try again later')
    return null
  }

  /** The socket is gone. */
  forget(connection: Connection): void {
    this.leave(connection)
    this.#open.delete(connection.id)
  }

  /** The session is over, though its socket may yet wait for the client to close. */
  leave(connection: Connection): void {
    if (this.#admitted.delete(connection)) this.#counter.leave(connection.remoteAddress)
  }

  /** @throws Failure `configuration` naming the port when it cannot be had. */
  async start({ host, port }: Endpoint): Promise<Endpoint> {
    try {
      this.listen(port, host)
      // The library listens for 'error' too, and hands it on to `this`: only the first of the two counts here.
      await once(this.server, 'listening')
    } catch (error) {
      const why =
        (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is taken by another process' : errorMessage(error)
      throw new Failure('configuration', `${this.#service}: port ${port} on ${host} ${why}`, { cause: error })
    }
    const sweep = () => {
      for (const connection of this.#open.values()) connection.expire(this.clock.now())
      this.#cancelSweep = this.clock.after(SMTP_SWEEP_MS, sweep)
    }
    this.#cancelSweep = this.clock.after(SMTP_SWEEP_MS, sweep)
    return { host, port: (this.server.address() as AddressInfo).port }
  }

  /** Takes no more connections, lets messages whose DATA has begun come to their reply, closes the rest. */
  async stop(): Promise<void> {
    if (this.stopping) return
    this.stopping = true
    this.#cancelSweep()
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
