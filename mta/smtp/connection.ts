/**
 * One SMTP connection: smtp-server parses commands and does TLS and AUTH; MAIL, RCPT and DATA are our own. Differences from the library: no
 * wait of 100 ms before the greeting, strict paths and parameters, enhanced status codes of our own, limits, and the end of DATA.
 */
import type { Socket } from 'node:net'
import type { SMTPServer } from 'smtp-server'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import type { EnvelopeParameters } from '../../jmap/mail/submission/envelope.ts'
import { HEADER_BOUND } from '../../jmap/message/header-size.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import { SMTP_DATA_MS, SMTP_IDLE_MS, SUBMISSION_AUTH_MS } from '../../server/base/smtp-limits.ts'
import type { ClientRateLimiter } from './client-rate-limiter.ts'
import { DataParser, type ReceivingBudget } from './data-parser.ts'
import { readMailParameters, readRecipientParameters, tooLarge } from './envelope-parameters.ts'
import { failureReply } from './failure-reply.ts'
import type { SmtpLimits } from './limits.ts'
import { parsePathArgument } from './path.ts'
import { type Reply, reply } from './reply.ts'
import type { AcceptedRecipient, SmtpHandlers, SmtpSession } from './session.ts'
import { SMTPConnection } from './smtp-server.ts'

const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /
const HEADER_TOO_LARGE = reply(552, '5.3.4', `The header of the message is too large: ${HEADER_BOUND}`)
const BARE_LINE_ENDS = reply(521, '5.5.2', 'Bare CR or LF in the message: lines end with CRLF')

/** What connections use of their server. */
export interface ConnectionHost extends SMTPServer {
  readonly handlers: SmtpHandlers
  readonly limits: SmtpLimits
  readonly maxCommandBytes: number
  readonly budget: ReceivingBudget
  readonly rateLimiter: ClientRateLimiter | null
  readonly clock: Clock
  readonly log: Logger
  readonly stopping: boolean
  /** Judges a new connection: a refusal, or null. */
  admit(connection: Connection): Reply | null
  /** The session has ended; its socket may still wait for the client to close. */
  leave(connection: Connection): void
  /** The socket is closed. */
  forget(connection: Connection): void
}

interface Transaction {
  readonly mailFrom: string
  readonly parameters: EnvelopeParameters
  /** By address in lower case: one that is named again replaces the earlier. */
  readonly recipients: Map<string, AcceptedRecipient>
}

export class Connection extends SMTPConnection {
  declare _server: ConnectionHost
  #transaction: Transaction | null = null
  #messages = 0
  #errors = 0
  #authFailures = 0
  /** `command`, `data`: waits for the client to send one; `busy`: the client waits for a reply. `#since` is when it began (epoch ms). */
  #phase: 'command' | 'data' | 'busy' = 'command'
  #since: number
  readonly #connectedAt: number

  constructor(server: ConnectionHost, socket: Socket, options?: SMTPConnectionOptions | null) {
    super(server, socket, options)
    this.#since = this.#connectedAt = server.clock.now()
  }

  /** The library's constructor creates the parser, before the fields of this class exist; null when the connection has closed. */
  get #parser(): DataParser | null {
    return (this._parser as DataParser | false) || null
  }

  /** The session as handlers see it. */
  get view(): SmtpSession {
    return {
      id: this.id,
      remoteAddress: this.remoteAddress,
      helo: this.hostNameAppearsAs || '',
      esmtp: this.openingCommand === 'EHLO',
      secure: this.secure,
      principal: (this.session.user as Principal | undefined) || null,
    }
  }

  /** True while a message is being received or stored: stop() waits for it. */
  get inMessage(): boolean {
    return this.#phase === 'data' || (this.#phase === 'busy' && this.#transaction !== null)
  }

  /** Closes the connection when a time limit has passed. */
  expire(now: number): void {
    if (this._closing || this.#phase === 'busy') return
    const unauthenticated = this._server.handlers.authenticate && !this.session.user
    const isLate =
      now - this.#since > (this.#phase === 'data' ? SMTP_DATA_MS : SMTP_IDLE_MS) ||
      (unauthenticated && now - this.#connectedAt > SUBMISSION_AUTH_MS)
    if (isLate) this.#close(reply(421, '4.4.2', 'Timeout, closing connection'))
  }

  /** Sends 421 and closes without waiting for the client to close. */
  shutDown(): void {
    this.#close(reply(421, '4.3.2', 'Server shutting down'))
    this._socket.destroySoon()
  }

  /** AUTH: null when the credentials are wrong. */
  async authenticate(address: string, password: string): Promise<Principal | null> {
    const principal = (await this._server.handlers.authenticate?.(address, password, this.view)) ?? null
    if (!principal && ++this.#authFailures >= this._server.limits.maxAuthFailures) {
      setImmediate(() => this.#close(reply(421, '4.7.0', 'Too many failed logins, closing connection')))
    }
    return principal
  }

  /** The library waits 100 ms before the greeting; here the greeting goes at once. */
  override init(): void {
    this._setListeners(() => {
      const refusal = this._server.admit(this)
      if (refusal) this.#close(refusal)
      else this.connectionReady()
    })
  }

  /** The server checks time limits: every octet would reset the library's idle timer. */
  override _armTimeout(): void {}

  override _createParser(): SMTPStream {
    const parser = new DataParser({ maxCommandLength: this._server.maxCommandBytes }, this._server.budget)
    parser.oncommand = (command, callback) => this._onCommand(command, callback)
    parser.onmessage = (bytes) => void this.#message(parser, bytes)
    parser.onexcess = () => this.#close(tooLarge(this._server.limits.maxMessageBytes))
    parser.on('error', () => this.#close(reply(500, '5.5.2', 'Line too long')))
    return parser
  }

  override _onCommand(command: Buffer, callback?: () => void): void {
    this.#phase = 'busy'
    super._onCommand(command, () => {
      this.#phase = this.#parser?._dataMode ? 'data' : 'command'
      this.#since = this._server.clock.now()
      callback?.()
      if (this._server.stopping && this.#phase === 'command') this.shutDown()
    })
  }

  override _onClose(): void {
    this.#parser?.release()
    this._server.forget(this)
    super._onClose()
  }

  override close(): void {
    super.close()
    this._server.leave(this)
  }

  override _resetSession(): void {
    this.#transaction = null
    super._resetSession()
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    let text = data
    // RFC 4954 4: mechanisms that show the password are not offered before TLS.
    if (Array.isArray(text) && !this.secure) text = text.filter((line) => !line.startsWith('AUTH '))
    // RFC 4954 6: 5.7.11, where the library says 5.7.0.
    if (code === 538) text = '5.7.11 Must issue a STARTTLS command first'
    const own = typeof text === 'string' && ENHANCED.test(text)
    super.send(code, text, own ? false : context)
    if (code >= 500) this._server.rateLimiter?.error(this.remoteAddress)
    if (code >= 500 && ++this.#errors >= this._server.limits.maxErrors && !this._closing) {
      this.#close(reply(421, '4.7.0', 'Too many errors, closing connection'))
    }
  }

  override handler_HELP(_command: Buffer, callback: () => void): void {
    this.send(214, '2.0.0 See RFC 5321')
    callback()
  }

  override handler_MAIL(command: Buffer, callback: () => void): void {
    this.#reply(this.#mail(command.toString().slice('MAIL'.length).trim()))
    callback()
  }

  override handler_RCPT(command: Buffer, callback: () => void): void {
    this.#rcpt(command.toString().slice('RCPT'.length).trim())
      .catch((error: unknown) => this.#failed(error))
      .then((answer) => {
        // The connection may have closed, or been reset, while the core was asked.
        if (!this._closed) this.#reply(answer)
        callback()
      })
  }

  override handler_DATA(command: Buffer, callback: () => void): void {
    if (/\S/.test(command.toString().slice('DATA'.length))) this.#reply(reply(501, '5.5.4', 'DATA takes no argument'))
    else if (!this.#transaction) this.#reply(reply(503, '5.5.1', 'Need MAIL and RCPT first'))
    else if (this.#transaction.recipients.size === 0) this.#reply(reply(554, '5.5.1', 'No valid recipients'))
    else {
      this.#parser?.beginMessage(this._server.limits.maxMessageBytes)
      this.send(354, 'End data with <CR><LF>.<CR><LF>')
    }
    callback()
  }

  #mail(argument: string): Reply {
    const path = parsePathArgument(argument, 'FROM')
    if (!path) return reply(501, '5.1.7', 'Bad sender address syntax')
    if (this.#transaction) return reply(503, '5.5.1', 'Nested MAIL command')
    if (this.#messages >= this._server.limits.maxMessagesPerConnection) {
      return { ...reply(421, '4.7.0', 'Too many messages on this connection'), close: true }
    }
    const read = readMailParameters(path.parameters, this._server.limits.maxMessageBytes)
    if ('refusal' in read) return read.refusal
    if (!isAscii(path.address) && !('SMTPUTF8' in read.kept)) return needsUtf8
    const refusal = this._server.handlers.sender(path.address, this.view)
    if (refusal) return refusal
    if (this._server.rateLimiter?.message(this.remoteAddress, path.address) === false)
      return reply(450, '4.7.1', 'Too many messages in a short time, try again later')
    this.#transaction = { mailFrom: path.address, parameters: read.kept, recipients: new Map() }
    return reply(250, '2.1.0', 'Sender ok')
  }

  async #rcpt(argument: string): Promise<Reply> {
    const transaction = this.#transaction
    if (!transaction) return reply(503, '5.5.1', 'Need MAIL command')
    const path = parsePathArgument(argument, 'TO')
    if (!path?.address) return reply(501, '5.1.3', 'Bad recipient address syntax')
    const read = readRecipientParameters(path.parameters)
    if ('refusal' in read) return read.refusal
    // RFC 6531 3.4: a mailbox name beyond ASCII needs a transaction that says so.
    if (!isAscii(path.address) && !('SMTPUTF8' in transaction.parameters)) return needsUtf8
    const key = path.address.toLowerCase()
    const { recipients } = transaction
    if (recipients.size >= this._server.limits.maxRecipients && !recipients.has(key)) {
      return reply(452, '4.5.3', 'Too many recipients')
    }
    if (this._server.rateLimiter?.recipient(this.remoteAddress) === false)
      return reply(450, '4.7.1', 'Too many recipients in a short time, try again later')
    const answer = await this._server.handlers.recipient(path.address, this.view)
    if ('refusal' in answer) return answer.refusal
    recipients.set(key, { address: path.address, parameters: read.kept, account: answer.account })
    return reply(250, '2.1.5', 'Recipient ok')
  }

  async #message(parser: DataParser, bytes: Buffer): Promise<void> {
    const transaction = this.#transaction!
    this.#phase = 'busy'
    this.#messages++
    const answer = await this.#judge(transaction, parser, bytes).catch((error: unknown) => this.#failed(error))
    parser.release()
    if (this._closed) return
    this.#reply(answer)
    this._resetSession()
    this.#phase = 'command'
    this.#since = this._server.clock.now()
    if (this._server.stopping) this.shutDown()
    if (!this._closing) parser.resumeCommands()
  }

  async #judge(transaction: Transaction, parser: DataParser, bytes: Buffer): Promise<Reply> {
    const { fault } = parser
    if (fault === 'tooLarge') return tooLarge(this._server.limits.maxMessageBytes)
    if (fault === 'headerTooLarge') return HEADER_TOO_LARGE
    if (fault === 'noRoom') return reply(452, '4.3.1', 'Too much mail at once, try again later')
    // What follows such a message may be part of it for another server, so nothing more is read.
    if (fault === 'bareLineEnds') return { ...BARE_LINE_ENDS, close: true }
    return this._server.handlers.message({
      session: this.view,
      id: `${this.id}.${this.#messages}`,
      mailFrom: transaction.mailFrom,
      parameters: transaction.parameters,
      recipients: [...transaction.recipients.values()],
      bytes,
      receivedAt: this._server.clock.now(),
    })
  }

  #failed(error: unknown): Reply {
    this._server.log.error({ session: this.id, error: errorMessage(error) }, 'an SMTP command failed')
    return failureReply(error)
  }

  #reply(answer: Reply): void {
    if (answer.close) this.#close(answer)
    else this.send(answer.code, `${answer.enhanced} ${answer.text}`)
  }

  #close(answer: Reply): void {
    if (this._closing) return
    this.send(answer.code, `${answer.enhanced} ${answer.text}`)
    this.close()
  }
}

const needsUtf8 = reply(553, '5.6.7', 'Addresses beyond ASCII need SMTPUTF8')

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text)
}
