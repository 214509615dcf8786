/**
 * A connection to another mail server. The library's SMTP client opens it: greeting, EHLO, STARTTLS, login. What is sent over it, and
 * the replies to that, are our own (transaction.ts). It decides nothing: errors come out as they came in.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { OUTBOUND_REPLY_MAX_BYTES } from '../../server/base/outbound-limits.ts'
import type { OutgoingMail } from './carrier.ts'
import { type Extension, envelopeOf } from './commands.ts'
import { ReplyReader } from './replies.ts'
import { logInByScram } from './scram.ts'
import { type PeerError, peerError, Transaction } from './transaction.ts'

/** Members of the library's class that its types leave out. */
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
interface Dialogue {
  readonly transaction: Transaction
  readonly replies: ReplyReader
  settle(error: PeerError | null): void
}

const SCRAM = 'SCRAM-SHA-256'

const base = SMTPConnection.prototype as unknown as Internals

export class PeerConnection extends SMTPConnection {
  #dialogue: Dialogue | null = null
  #failure: PeerError | null = null
  readonly #hear = new Set<(error: PeerError) => void>()
  /** Messages sent over it. */
  messages = 0

  constructor(options: SMTPConnectionOptions) {
    super({ ...options, customAuth: { [SCRAM]: logInByScram } })
    // Without a listener an error would end the process; it may come at any time.
    this.on('error', (error: PeerError) => {
      this.#failure ??= error
      for (const hear of this.#hear) hear(error)
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

  /** DER of the certificates that the peer sent, its own first; none without TLS. */
  certificates(): Buffer[] {
    const socket = this.#internals._socket
    const chain: Buffer[] = []
    if (!(socket instanceof TLSSocket)) return chain
    let one = socket.getPeerCertificate(true)
    // A root is its own issuer.
    while (one?.raw && !chain.some((der) => der.equals(one.raw))) {
      chain.push(one.raw)
      one = one.issuerCertificate
    }
    return chain
  }

  /** Octets of a message that the peer declared to take; 0: not said. */
  get maxSize(): number {
    return this.#internals._maxAllowedSize
  }

  /** Greeting, EHLO and, as the options have it, STARTTLS. */
  open(): Promise<void> {
    return this.#until((settle) => this.connect((error) => settle((error as PeerError | undefined) ?? null)))
  }

  logIn(user: string, pass: string): Promise<void> {
    // RFC 8621 9.4: by SCRAM, which does not tell the password, where the server knows it; the library takes PLAIN first.
    const knowsScram = this.#internals._ehloLines.some((line) => /^AUTH[ =](.* )?SCRAM-SHA-256( |$)/i.test(line))
    const auth = { user, pass, ...(knowsScram && { method: SCRAM }) }
    return this.#until((settle) => this.login(auth, (error) => settle(error as PeerError | null)))
  }

  /** A transaction for a message, as this peer wants it. @throws Error for an address that no command can hold */
  transaction(mail: OutgoingMail): Transaction {
    const supports = (extension: Extension) => this.supports(extension)
    return new Transaction(envelopeOf(mail, supports), this.supports('PIPELINING'))
  }

  /** Runs it, one at a time. Rejects with a PeerError when the message was not taken; `rejected` then tells whom RCPT refused. */
  transmit(transaction: Transaction): Promise<void> {
    this.messages++
    return this.#until((settle) => {
      this.#dialogue = { transaction, replies: new ReplyReader(OUTBOUND_REPLY_MAX_BYTES), settle }
      this.#write(transaction.begin())
    })
  }

  /** RFC 5321 4.1.1.10 */
  leave(): void {
    if (this.usable) this.quit()
    else this.close()
  }

  /** Breaks off whatever is under way: its promise rejects with EABORT. */
  abort(): void {
    const error: PeerError = Object.assign(new Error('The attempt took too long'), { code: 'EABORT' })
    this.#failure ??= error
    for (const hear of this.#hear) hear(error)
    this.close()
  }

  /** Of the library: what comes while no transaction is under way is its own. */
  _onData(chunk: Buffer): void {
    const dialogue = this.#dialogue
    if (!dialogue) {
      base._onData.call(this.#internals, chunk)
      return
    }
    try {
      dialogue.replies.add(chunk)
      for (let reply = dialogue.replies.next(); reply !== null; reply = dialogue.replies.next()) {
        this.#hearReply(dialogue, reply)
        if (this.#dialogue === dialogue) continue
        const rest = dialogue.replies.rest()
        // RFC 5321 4.2: a reply to nothing.
        if (rest.length > 0) base._onData.call(this.#internals, rest)
        return
      }
    } catch (error) {
      this.#internals._onError(error as Error, 'EPROTOCOL', false, 'CONN')
    }
  }

  /** Of the library, which takes a connection over which it has sent nothing for an idle one. */
  _onClose(): void {
    const dialogue = this.#dialogue
    if (!dialogue || this.destroyed) {
      base._onClose.call(this.#internals)
      return
    }
    // The last words may lack their line end.
    const rest = dialogue.replies.rest().toString().trim()
    const refusal = /^[45]\d{2}[ -]/.test(rest) ? rest : false
    this.#internals._onError(new Error('Connection closed unexpectedly'), 'ECONNECTION', refusal, 'CONN')
  }

  #hearReply(dialogue: Dialogue, reply: string): void {
    const { transaction } = dialogue
    let next: Buffer | string | null = null
    let failure: PeerError | null = null
    try {
      next = transaction.take(reply)
    } catch (error) {
      failure = error as PeerError
    }
    // RFC 5321 3.8: 421 says that the connection ends now, whatever it answers.
    const isClosing = /^421(?: |-|$)/.test(reply)
    if (isClosing)
      failure ??= transaction.mailError ?? peerError('Server closed the connection', 'ECONNECTION', reply, 'CONN')
    // It waits for a message that is not to come: no command would be read as one.
    const isStuck = failure !== null && reply[0] === '3'
    if (failure === null && !transaction.isDone) {
      if (next !== null) this.#write(next)
      return
    }
    this.#dialogue = null
    if (isClosing || isStuck) this.close()
    dialogue.settle(failure)
  }

  #write(data: Buffer | string): void {
    const socket = this.#internals._socket
    if (socket && !socket.destroyed) socket.write(data)
    else this.#internals._onError(new Error('Connection closed unexpectedly'), 'ECONNECTION', false, 'CONN')
  }

  get #internals(): Internals {
    return this as unknown as Internals
  }

  /** Runs a step that calls back, or fails by an 'error' event, or both. */
  #until<T = void>(step: (settle: (error: PeerError | null, result?: T) => void) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const hear = (error: PeerError) => settle(error)
      const settle = (error: PeerError | null, result?: T) => {
        this.#hear.delete(hear)
        this.#dialogue = null
        if (error) reject(error)
        else resolve(result as T)
      }
      if (this.#failure) return settle(this.#failure)
      this.#hear.add(hear)
      step(settle)
    })
  }
}
