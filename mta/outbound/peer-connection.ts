/**
 * A connection to another mail server. The library's SMTP client opens it: greeting, EHLO, STARTTLS, login. Mail transactions are our own
 * (transaction.ts). Errors are passed on unchanged.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { OUTBOUND_REPLY_MAX_BYTES } from '../../server/base/outbound-limits.ts'
import { type Extension, envelopeOf } from './commands.ts'
import { writePieces } from './pending-writes.ts'
import { ReplyReader } from './reply-reader.ts'
import { logInByScram } from './scram.ts'
import { type PeerError, peerError, Transaction } from './transaction.ts'
import type { OutgoingMessage } from './transport.ts'

/** Members of the library's class that its types do not declare (spec/mta/library-insides.ts). */
interface Internals {
  _supportedExtensions: string[]
  /** Lines of the answer to EHLO, without their codes. */
  _ehloLines: string[]
  _maxAllowedSize: number
  _socket: Socket | false
  _onData(chunk: Buffer): void
  _onClose(): void
  _onError(error: Error, code: string, response: string | false, command: string): void
}

/** A transaction under way. */
interface RunningTransaction {
  readonly transaction: Transaction
  readonly replies: ReplyReader
  settle(error: PeerError | null): void
}

const SCRAM = 'SCRAM-SHA-256'

/** As CommonJS, like mta/smtp/smtp-server.ts. */
const SMTPConnection = createRequire(import.meta.url)(
  'nodemailer/lib/smtp-connection',
) as typeof import('nodemailer/lib/smtp-connection').default
const base = SMTPConnection.prototype as unknown as Internals

export class PeerConnection extends SMTPConnection {
  #running: RunningTransaction | null = null
  #failure: PeerError | null = null
  readonly #onFailure = new Set<(error: PeerError) => void>()
  /** Number of messages sent over the connection. */
  messages = 0

  constructor(options: SMTPConnectionOptions) {
    super({ ...options, customAuth: { [SCRAM]: logInByScram } })
    // An error may come at any time; without a listener it would end the process.
    this.on('error', (error: PeerError) => {
      this.#failure ??= error
      for (const fail of this.#onFailure) fail(error)
    })
  }

  get usable(): boolean {
    return !this.#failure && !this.destroyed
  }

  supports(extension: Extension): boolean {
    return this.#internals._supportedExtensions.includes(extension)
  }

  /** RFC 8689 */
  get offersRequireTls(): boolean {
    return this.#internals._ehloLines.some((line) => /^REQUIRETLS\s*$/i.test(line))
  }

  /** The certificates that the peer sent (DER), its own first; none without TLS. */
  certificates(): Buffer[] {
    const socket = this.#internals._socket
    const chain: Buffer[] = []
    if (!(socket instanceof TLSSocket)) return chain
    let one = socket.getPeerCertificate(true)
    // A root certificate is its own issuer.
    while (one?.raw && !chain.some((der) => der.equals(one.raw))) {
      chain.push(one.raw)
      one = one.issuerCertificate
    }
    return chain
  }

  /** The message size in octets that the peer announced; 0: none. */
  get maxSize(): number {
    return this.#internals._maxAllowedSize
  }

  /** Connects: greeting, EHLO and, according to the options, STARTTLS. */
  open(): Promise<void> {
    return this.#until((settle) => this.connect((error) => settle((error as PeerError | undefined) ?? null)))
  }

  logIn(user: string, pass: string): Promise<void> {
    // RFC 8621 9.4: SCRAM, which does not send the password, is preferred if the server offers it; the library prefers PLAIN.
    const offersScram = this.#internals._ehloLines.some((line) => /^AUTH[ =](.* )?SCRAM-SHA-256( |$)/i.test(line))
    const auth = { user, pass, ...(offersScram && { method: SCRAM }) }
    return this.#until((settle) => this.login(auth, (error) => settle(error as PeerError | null)))
  }

  /** A transaction for a message, with the extensions of this peer. @throws Error for an address that no command can hold */
  transaction(message: OutgoingMessage): Transaction {
    const supports = (extension: Extension) => this.supports(extension)
    return new Transaction(envelopeOf(message, supports), this.supports('PIPELINING'))
  }

  /** Runs a transaction, one at a time. Rejects with a PeerError when the message was not accepted; `rejected` has the refused recipients. */
  transmit(transaction: Transaction): Promise<void> {
    this.messages++
    return this.#until((settle) => {
      this.#running = { transaction, replies: new ReplyReader(OUTBOUND_REPLY_MAX_BYTES), settle }
      this.#write(transaction.begin())
    })
  }

  /** RFC 5321 4.1.1.10 */
  leave(): void {
    if (this.usable) this.quit()
    else this.close()
  }

  /** Whether the connection is made; the peer may not have greeted. */
  get isConnected(): boolean {
    const socket = this.#internals._socket
    return socket !== false && socket !== undefined && !socket.connecting
  }

  /** Aborts the running step: its promise rejects with EABORT. */
  abort(): void {
    this.#fail('The attempt took too long', 'EABORT')
  }

  /** Aborts the running step, as the peer does nothing: its promise rejects with ETIMEDOUT. */
  giveUp(reason: string): void {
    this.#fail(reason, 'ETIMEDOUT')
  }

  #fail(reason: string, code: string): void {
    const error: PeerError = Object.assign(new Error(reason), { code })
    this.#failure ??= error
    for (const fail of this.#onFailure) fail(error)
    this.close()
  }

  /** Overrides the library, which gets the octets that come outside of a transaction. */
  _onData(chunk: Buffer): void {
    const running = this.#running
    if (!running) {
      base._onData.call(this.#internals, chunk)
      return
    }
    try {
      running.replies.add(chunk)
      for (let reply = running.replies.next(); reply !== null; reply = running.replies.next()) {
        this.#onReply(running, reply)
        if (this.#running === running) continue
        const rest = running.replies.rest()
        // RFC 5321 4.2: an unexpected reply.
        if (rest.length > 0) base._onData.call(this.#internals, rest)
        return
      }
    } catch (error) {
      this.#internals._onError(error as Error, 'EPROTOCOL', false, 'CONN')
    }
  }

  /** Overrides the library, which takes a connection as idle if it has sent nothing itself. */
  _onClose(): void {
    const running = this.#running
    if (!running || this.destroyed) {
      base._onClose.call(this.#internals)
      return
    }
    // The last reply may have no line end.
    const rest = running.replies.rest().toString().trim()
    const refusal = /^[45]\d{2}[ -]/.test(rest) ? rest : false
    this.#internals._onError(new Error('Connection closed unexpectedly'), 'ECONNECTION', refusal, 'CONN')
  }

  #onReply(running: RunningTransaction, reply: string): void {
    const { transaction } = running
    let next: readonly Buffer[] | string | null = null
    let failure: PeerError | null = null
    try {
      next = transaction.take(reply)
    } catch (error) {
      failure = error as PeerError
    }
    // RFC 5321 3.8: 421 closes the connection, whatever command it replies to.
    const isClosing = /^421(?: |-|$)/.test(reply)
    if (isClosing)
      failure ??= transaction.mailError ?? peerError('Server closed the connection', 'ECONNECTION', reply, 'CONN')
    // The peer waits for message data that will not come, and would read no command.
    const isStuck = failure !== null && reply[0] === '3'
    if (failure === null && !transaction.isDone) {
      if (next !== null) this.#write(next)
      return
    }
    this.#running = null
    if (isClosing || isStuck) this.close()
    running.settle(failure)
  }

  #write(data: readonly Buffer[] | string): void {
    const socket = this.#internals._socket
    if (!socket || socket.destroyed) {
      this.#internals._onError(new Error('Connection closed unexpectedly'), 'ECONNECTION', false, 'CONN')
      return
    }
    if (typeof data === 'string') socket.write(data)
    else writePieces(socket, data)
  }

  get #internals(): Internals {
    return this as unknown as Internals
  }

  /** Runs a step that ends by its callback, by an 'error' event, or by both. */
  #until<T = void>(step: (settle: (error: PeerError | null, result?: T) => void) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const fail = (error: PeerError) => settle(error)
      const settle = (error: PeerError | null, result?: T) => {
        this.#onFailure.delete(fail)
        this.#running = null
        if (error) reject(error)
        else resolve(result as T)
      }
      if (this.#failure) return settle(this.#failure)
      this.#onFailure.add(fail)
      step(settle)
    })
  }
}
