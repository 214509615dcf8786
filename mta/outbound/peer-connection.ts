/**
 * A connection to another mail server: nodemailer's SMTP client as promises, with what it has no words for: DSN parameters of each
 * recipient, and SMTPUTF8 for a header beyond ASCII. It decides nothing: errors come out as they came in.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import SMTPConnection, { type SMTPConnectionOptions, type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'
import type { QueuedRecipient } from '../../jmap/core.ts'
import { encodeOrcpt } from '../smtp/envelope-parameters.ts'
import { encodeXtext } from '../smtp/xtext.ts'
import type { OutgoingMail } from './carrier.ts'
import { logInByScram } from './scram.ts'

/** What nodemailer attaches to its errors. */
export interface PeerError extends Error {
  readonly code?: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
  readonly recipient?: string
}

export interface PeerResult {
  readonly accepted: readonly string[]
  readonly rejected: readonly PeerError[]
  /** What RCPT was answered for each that was accepted. */
  readonly replies: ReadonlyMap<string, string>
}

/** Members of the library's class that its types leave out. */
interface Internals {
  _supportedExtensions: string[]
  /** Lines of the answer to EHLO, without their codes. */
  _ehloLines: string[]
  _maxAllowedSize: number
  _socket: Socket | false
  _recipientQueue: string[]
  _envelope: { rejectedErrors?: PeerError[] } | false
  _sendCommand(line: string, logged?: string): void
  _actionRCPT(reply: string, callback: unknown): void
}

const SCRAM = 'SCRAM-SHA-256'

const base = SMTPConnection.prototype as unknown as Internals

export class PeerConnection extends SMTPConnection {
  #recipients = new Map<string, QueuedRecipient>()
  #replies = new Map<string, string>()
  /** Parameters for MAIL beyond those that the library writes. */
  #dsn = ''
  #utf8Header = false
  #requireTls = false
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

  supports(extension: 'DSN' | 'SMTPUTF8' | '8BITMIME' | 'STARTTLS' | 'PIPELINING'): boolean {
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

  /** One transaction. Rejects with a PeerError when the message was not taken; `rejectedSoFar` then tells whom RCPT refused. */
  async transmit(mail: OutgoingMail): Promise<PeerResult> {
    this.#replies = new Map()
    this.#recipients = new Map(mail.recipients.map((recipient) => [recipient.address, recipient]))
    this.#dsn = this.#dsnOfMail(mail)
    this.#requireTls = Object.hasOwn(mail.parameters, 'REQUIRETLS')
    this.#utf8Header = mail.utf8Header && this.supports('SMTPUTF8')
    this.messages++
    const envelope = {
      from: mail.mailFrom,
      to: mail.recipients.map(({ address }) => address),
      size: mail.bytes.length,
      use8BitMime: mail.eightBit,
    }
    const info = await this.#until<SMTPConnectionSendInfo>((settle) => {
      this.send(envelope, mail.bytes, (error, result) => settle(error as PeerError | null, result))
    })
    return { accepted: info.accepted, rejected: (info.rejectedErrors ?? []) as PeerError[], replies: this.#replies }
  }

  get rejectedSoFar(): readonly PeerError[] {
    const envelope = this.#internals._envelope
    return envelope ? (envelope.rejectedErrors ?? []) : []
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

  _sendCommand(line: string, logged?: string): void {
    let extra = ''
    if (line.startsWith('MAIL FROM:')) {
      // The library says it by itself only for addresses beyond ASCII.
      const said = line.slice(line.lastIndexOf('>')).includes(' SMTPUTF8')
      extra = this.#dsn + (this.#utf8Header && !said ? ' SMTPUTF8' : '') + (this.#requireTls ? ' REQUIRETLS' : '')
    }
    base._sendCommand.call(this, line + extra, logged)
  }

  /** The library keeps what was said to those that were refused only. */
  _actionRCPT(reply: string, callback: unknown): void {
    const address = this.#internals._recipientQueue[0]
    if (address !== undefined) this.#replies.set(address, reply)
    base._actionRCPT.call(this, reply, callback)
  }

  /** Asked for each RCPT, whose recipient stands last in the queue. */
  _getDsnRcptToArgs(): string {
    const address = this.#internals._recipientQueue.at(-1)
    const parameters = address === undefined ? undefined : this.#recipients.get(address)?.parameters
    if (!parameters || !this.supports('DSN')) return ''
    const notify = parameters['NOTIFY'] ?? null
    const orcpt = parameters['ORCPT'] ? encodeOrcpt(parameters['ORCPT']) : null
    return `${notify && /^[A-Z,]+$/i.test(notify) ? ` NOTIFY=${notify}` : ''}${orcpt ? ` ORCPT=${orcpt}` : ''}`
  }

  #dsnOfMail({ parameters }: OutgoingMail): string {
    if (!this.supports('DSN')) return ''
    const ret = parameters['RET'] ?? ''
    const envid = parameters['ENVID'] ?? ''
    return `${/^(FULL|HDRS)$/i.test(ret) ? ` RET=${ret}` : ''}${envid ? ` ENVID=${encodeXtext(envid)}` : ''}`
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
        if (error) reject(error)
        else resolve(result as T)
      }
      if (this.#failure) return settle(this.#failure)
      this.#hear.add(hear)
      step(settle)
    })
  }
}
