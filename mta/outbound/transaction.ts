/**
 * One mail transaction of the client (RFC 5321 3.3): the commands to send, and the meaning of each reply. With PIPELINING all commands are sent at
 * once, and each reply is still checked (RFC 2920 3.1). Pure: replies go in, octets to write come out.
 */
import { dotStuffed } from './dot-stuffing.ts'

/** Thrown when a peer refuses or the connection fails; it has the shape of nodemailer's errors. */
export interface PeerError extends Error {
  readonly code?: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
  readonly recipient?: string
}

export interface TransactionEnvelope {
  /** The MAIL command with its parameters, without a line end. */
  readonly mail: string
  readonly recipients: readonly { readonly address: string; readonly rcpt: string }[]
  /** Of the message (wire-message.ts). */
  readonly pieces: readonly Buffer[]
}

type Step = 'mail' | 'rcpt' | 'data' | 'content' | 'nothing' | 'done'

export class Transaction {
  readonly #envelope: TransactionEnvelope
  readonly #pipelined: boolean
  #step: Step = 'mail'
  #answered = 0
  #mailError: PeerError | null = null
  /** The reply to RCPT for each accepted recipient. */
  readonly replies = new Map<string, string>()
  /** Errors for refused recipients. */
  readonly rejected: PeerError[] = []

  constructor(envelope: TransactionEnvelope, pipelined: boolean) {
    this.#envelope = envelope
    this.#pipelined = pipelined
  }

  /** The error of MAIL; null: it was not refused. */
  get mailError(): PeerError | null {
    return this.#mailError
  }

  get isDone(): boolean {
    return this.#step === 'done'
  }

  /** The first octets to send. */
  begin(): string {
    const { mail, recipients } = this.#envelope
    if (!this.#pipelined) return `${mail}\r\n`
    return `${mail}\r\n${recipients.map(({ rcpt }) => `${rcpt}\r\n`).join('')}DATA\r\n`
  }

  /**
   * @param reply all its lines, joined by LF
   * @returns what to write next; null: nothing
   * @throws PeerError when the message is not accepted
   */
  take(reply: string): readonly Buffer[] | string | null {
    switch (this.#step) {
      case 'mail':
        return this.#mailReply(reply)
      case 'rcpt':
        return this.#recipientReply(reply)
      case 'data':
        return this.#dataReply(reply)
      case 'content':
        if (reply[0] !== '2') throw peerError('Message failed', 'EMESSAGE', reply, 'DATA')
        this.#step = 'done'
        return null
      default:
        throw this.#envelopeError(reply) ?? peerError('Unexpected Response', 'EPROTOCOL', reply, 'CONN')
    }
  }

  #mailReply(reply: string): string | null {
    if (reply[0] !== '2') this.#mailError = peerError('Mail command failed', 'EENVELOPE', reply, 'MAIL FROM')
    this.#step = 'rcpt'
    if (this.#pipelined) return null
    if (this.#mailError) throw this.#mailError
    return `${this.#envelope.recipients[0]!.rcpt}\r\n`
  }

  #recipientReply(reply: string): string | null {
    const { recipients } = this.#envelope
    const recipient = recipients[this.#answered]!.address
    if (reply[0] === '2') this.replies.set(recipient, reply)
    else
      this.rejected.push(
        Object.assign(peerError('Recipient command failed', 'EENVELOPE', reply, 'RCPT TO'), { recipient }),
      )
    this.#answered++
    const isLast = this.#answered === recipients.length
    if (isLast) this.#step = 'data'
    if (this.#pipelined) return null
    if (!isLast) return `${recipients[this.#answered]!.rcpt}\r\n`
    const error = this.#envelopeError(reply)
    if (error) throw error
    return 'DATA\r\n'
  }

  #dataReply(reply: string): Buffer[] | string {
    const error = this.#envelopeError(reply)
    if (error) {
      if (reply[0] !== '3' || error === this.#mailError) throw error
      // RFC 2920 3.1: a server that accepts DATA without recipients gets an empty message; its reply is ignored.
      this.#step = 'nothing'
      return '.\r\n'
    }
    // RFC 5321 4.3.2: the reply is 354; some servers send 250.
    if (!/^[23]/.test(reply)) throw peerError('Data command failed', 'EENVELOPE', reply, 'DATA')
    this.#step = 'content'
    return dotStuffed(this.#envelope.pieces)
  }

  /** null: at least one recipient was accepted. */
  #envelopeError(reply: string): PeerError | null {
    if (this.#mailError) return this.#mailError
    if (this.replies.size > 0) return null
    // If one recipient may be tried again, so may the message.
    const deferred = this.rejected.find(({ responseCode = 0 }) => responseCode > 0 && responseCode < 500)
    const told = (deferred ?? this.rejected.at(-1))?.response ?? reply
    return peerError('All recipients were rejected', 'EENVELOPE', told, 'RCPT TO')
  }
}

/** @param response the reply that caused the error; null: none */
export function peerError(message: string, code: string, response: string | null, command: string): PeerError {
  const responseCode = Number(/^\d+/.exec(response ?? '')?.[0] ?? 0)
  return Object.assign(new Error(response === null ? message : `${message}: ${response}`), {
    code,
    command,
    ...(response !== null && { response }),
    ...(responseCode > 0 && { responseCode }),
  })
}
