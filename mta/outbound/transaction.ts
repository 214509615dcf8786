/**
 * One mail transaction as the client sees it (RFC 5321 3.3): what to say, and what each reply means. Where the peer knows PIPELINING all
 * commands go at once, and each reply is still looked at (RFC 2920 3.1). Pure: it is given replies and gives what is to be written.
 */
import { dotStuffed } from './dot-stuffing.ts'

/** What is thrown for a peer that refuses, or cannot be spoken to; of the shape of nodemailer's errors. */
export interface PeerError extends Error {
  readonly code?: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
  readonly recipient?: string
}

export interface TransactionEnvelope {
  /** MAIL, with its parameters and without a line end. */
  readonly mail: string
  readonly recipients: readonly { readonly address: string; readonly rcpt: string }[]
  /** The message; its lines end with CRLF. */
  readonly bytes: Buffer
}

type Step = 'mail' | 'rcpt' | 'data' | 'content' | 'nothing' | 'done'

export class Transaction {
  readonly #envelope: TransactionEnvelope
  readonly #pipelined: boolean
  #step: Step = 'mail'
  #answered = 0
  #mailError: PeerError | null = null
  /** What RCPT was answered for each that was accepted. */
  readonly replies = new Map<string, string>()
  /** Those that RCPT refused. */
  readonly rejected: PeerError[] = []

  constructor(envelope: TransactionEnvelope, pipelined: boolean) {
    this.#envelope = envelope
    this.#pipelined = pipelined
  }

  /** What MAIL was refused with, so far. */
  get mailError(): PeerError | null {
    return this.#mailError
  }

  get isDone(): boolean {
    return this.#step === 'done'
  }

  /** What is said first. */
  begin(): string {
    const { mail, recipients } = this.#envelope
    if (!this.#pipelined) return `${mail}\r\n`
    return `${mail}\r\n${recipients.map(({ rcpt }) => `${rcpt}\r\n`).join('')}DATA\r\n`
  }

  /**
   * @param reply all its lines, joined by LF
   * @returns what is to be written next; null: nothing
   * @throws PeerError when the message will not be taken
   */
  take(reply: string): Buffer | string | null {
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

  #dataReply(reply: string): Buffer | string {
    const error = this.#envelopeError(reply)
    if (error) {
      if (reply[0] !== '3' || error === this.#mailError) throw error
      // RFC 2920 3.1: a server that takes DATA for nobody gets an empty message, and its answer says nothing.
      this.#step = 'nothing'
      return '.\r\n'
    }
    // RFC 5321 4.3.2 has 354; some servers say 250.
    if (!/^[23]/.test(reply)) throw peerError('Data command failed', 'EENVELOPE', reply, 'DATA')
    this.#step = 'content'
    return dotStuffed(this.#envelope.bytes)
  }

  /** null: there is somebody to send to. */
  #envelopeError(reply: string): PeerError | null {
    if (this.#mailError) return this.#mailError
    if (this.replies.size > 0) return null
    // Where one of them may be tried again, the message may.
    const deferred = this.rejected.find(({ responseCode = 0 }) => responseCode > 0 && responseCode < 500)
    const told = (deferred ?? this.rejected.at(-1))?.response ?? reply
    return peerError('All recipients were rejected', 'EENVELOPE', told, 'RCPT TO')
  }
}

/** @param response the reply that it is about; null: there was none */
export function peerError(message: string, code: string, response: string | null, command: string): PeerError {
  const responseCode = Number(/^\d+/.exec(response ?? '')?.[0] ?? 0)
  return Object.assign(new Error(response === null ? message : `${message}: ${response}`), {
    code,
    command,
    ...(response !== null && { response }),
    ...(responseCode > 0 && { responseCode }),
  })
}
