/**
 * smtp-server's parser with a data mode of our own: a message ends at CRLF.CRLF and nowhere else, is judged and collected as its octets
 * arrive, and is handed over as one Buffer. The library's data mode yields to the event loop at every stuffed dot and leaves `.x` stuffed.
 */
import type { SMTPStreamOptions } from 'smtp-server/lib/smtp-stream.js'
import { HEADER_JUDGED_BYTES, isHeaderTooLarge } from '../../jmap/message/header-size.ts'
import { MessageText } from './message-text.ts'
import { ReceivedOctets } from './received-octets.ts'
import { SMTPStream } from './smtp-server.ts'

const EMPTY = Buffer.alloc(0)

/** Octets of incomplete messages that all connections of a listener may hold. */
export interface ReceivingBudget {
  used: number
  readonly limit: number
}

/** Why a message cannot be stored; reported at its end. */
export type DataFault = 'tooLarge' | 'headerTooLarge' | 'noRoom' | 'bareLineEnds'

export class DataParser extends SMTPStream {
  readonly #budget: ReceivingBudget
  #text = new MessageText()
  #octets = new ReceivedOctets(0)
  /** Octets of this message that count in the budget, until its reply is sent. */
  #held = 0
  /** Octets as sent, with stuffed dots. */
  #received = 0
  #isHeaderJudged = false
  #next: (() => void) | null = null
  /** Why `onmessage` gets an empty message. */
  fault: DataFault | null = null
  /** Called at the end of a message. No command is read before `resumeCommands`. */
  onmessage: (bytes: Buffer) => void = () => {}
  /** Called when the client sends far more than the limit; the caller closes the connection. */
  onexcess: () => void = () => {}

  constructor(options: SMTPStreamOptions, budget: ReceivingBudget) {
    super(options)
    this.#budget = budget
  }

  /** The octets that follow are a message, up to CRLF.CRLF. */
  beginMessage(maxBytes: number): void {
    this.release()
    this.#text = new MessageText()
    this.#octets = new ReceivedOctets(maxBytes)
    this.#received = 0
    this.#isHeaderJudged = false
    this.#next = null
    this.fault = null
    this._maxBytes = maxBytes
    this._dataMode = true
  }

  resumeCommands(): void {
    const next = this.#next
    this.#next = null
    next?.()
  }

  override _feedDataStream(chunk: Buffer, done: (error?: Error | null) => void): void {
    const { text, next } = this.#text.read(chunk)
    this.#received += next ?? chunk.length
    this.#keep(text)
    if (next === null) {
      if (this.#received > this._maxBytes * 2) this.onexcess()
      done()
      return
    }
    const rest = chunk.subarray(next)
    this._dataMode = false
    this._remainder = ''
    this.#next = () => this._write(rest, 'buffer', done)
    this.onmessage(this.#finish())
  }

  /** Returns the octets to the budget: when the reply is sent, and when the connection closes. */
  release(): void {
    this.#budget.used -= this.#held
    this.#held = 0
  }

  #keep(text: Buffer): void {
    // What follows such a message may be part of it for another server: this fault counts before others.
    if (this.#text.bareLineEnds && this.fault !== 'bareLineEnds') this.#drop('bareLineEnds')
    if (this.fault) return
    if (this.#octets.length + text.length > this._maxBytes) this.#drop('tooLarge')
    else if (this.#budget.used + text.length > this.#budget.limit) this.#drop('noRoom')
    else {
      this.#budget.used += text.length
      this.#held += text.length
      this.#octets.add(text)
      if (this.#octets.length >= HEADER_JUDGED_BYTES && !this.#isHeaderJudged) this.#judgeHeader(this.#octets.joined())
    }
  }

  /** Called once: when more than a header has arrived, or the whole message. */
  #judgeHeader(beginning: Buffer): void {
    this.#isHeaderJudged = true
    if (isHeaderTooLarge(beginning)) this.#drop('headerTooLarge')
  }

  #drop(fault: DataFault): void {
    this.fault = fault
    this.#octets = new ReceivedOctets(0)
    this.release()
  }

  #finish(): Buffer {
    if (this.fault) return EMPTY
    const bytes = this.#octets.joined()
    this.#octets = new ReceivedOctets(0)
    if (!this.#isHeaderJudged) this.#judgeHeader(bytes)
    return this.fault ? EMPTY : bytes
  }
}
