/**
 * smtp-server's parser with a data mode of our own: a message ends at CRLF.CRLF and nowhere else, is collected without a copy per line, and
 * is handed over as one Buffer. The library's data mode yields to the event loop at every stuffed dot and leaves `.x` stuffed.
 */
import { SMTPStream, type SMTPStreamOptions } from 'smtp-server/lib/smtp-stream.js'
import { readMessageText } from './message-text.ts'

const END = Buffer.from('\r\n.\r\n')
const EMPTY = Buffer.alloc(0)
/** Chunks that are joined to one at a time. */
const CHUNKS_JOINED = 256

/** Octets of incomplete messages that all connections of a listener may hold. */
export interface ReceivingBudget {
  used: number
  readonly limit: number
}

/** Why a message cannot be stored; reported at its end. */
export type DataFault = 'tooLarge' | 'noRoom' | 'bareLineEnds'

export class DataParser extends SMTPStream {
  readonly #budget: ReceivingBudget
  #chunks: Buffer[] = []
  /** Chunks at the end of `#chunks` that are not joined yet. */
  #loose = 0
  #held = 0
  #received = 0
  /** The last octets seen, at most four, as the end may be split over chunks. It begins as if after a line end. */
  #tail: Buffer = EMPTY
  #next: (() => void) | null = null
  /** Why `onmessage` gets an empty message. */
  fault: DataFault | null = null
  /** Called at the end of a message. No command is read before `resumeCommands`. */
  onmessage: (bytes: Buffer) => void = () => {}
  /** Called when the client sends far more than the limit; the connection is to be closed. */
  onexcess: () => void = () => {}

  constructor(options: SMTPStreamOptions, budget: ReceivingBudget) {
    super(options)
    this.#budget = budget
  }

  /** The octets that follow are a message, up to CRLF.CRLF. */
  beginMessage(maxBytes: number): void {
    this.release()
    this.#chunks = []
    this.#loose = 0
    this.#received = 0
    this.#next = null
    this.fault = null
    this._maxBytes = maxBytes
    // A first line `.` ends an empty message: the CRLF before it is that of the DATA command.
    this.#tail = END.subarray(0, 2)
    this._dataMode = true
  }

  resumeCommands(): void {
    const next = this.#next
    this.#next = null
    next?.()
  }

  override _feedDataStream(chunk: Buffer, done: (error?: Error | null) => void): void {
    const end = this.#indexOfEnd(chunk)
    if (end === null) {
      this.#keep(chunk)
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(-4)]).subarray(-4)
      if (this.#received > this._maxBytes * 2) this.onexcess()
      done()
      return
    }
    this.#keep(chunk.subarray(0, Math.max(0, end.text)))
    const rest = chunk.subarray(end.next)
    this._dataMode = false
    this._remainder = ''
    this.#next = () => this._write(rest, 'buffer', done)
    this.onmessage(this.#finish(end.text))
  }

  /** Returns the octets to the budget: when the reply is sent, and when the connection closes. */
  release(): void {
    this.#budget.used -= this.#held
    this.#held = 0
  }

  /** Where the text ends in a chunk (before the dot; negative: in an earlier chunk), and where commands continue. */
  #indexOfEnd(chunk: Buffer): { text: number; next: number } | null {
    const before = this.#tail.length
    const seam = before === 0 ? chunk.subarray(0, 4) : Buffer.concat([this.#tail, chunk.subarray(0, 4)])
    let at = seam.indexOf(END)
    if (at >= 0) at -= before
    else {
      at = chunk.indexOf(END)
      if (at < 0) return null
    }
    return { text: at + 2, next: at + END.length }
  }

  #keep(chunk: Buffer): void {
    this.#received += chunk.length
    if (this.fault) return
    // Stuffed dots count here; `#finish` applies the limit to the message itself.
    if (this.#received > this._maxBytes + this._maxBytes / 8) this.#drop('tooLarge')
    else if (this.#budget.used + chunk.length > this.#budget.limit) this.#drop('noRoom')
    else {
      this.#budget.used += chunk.length
      this.#held += chunk.length
      this.#chunks.push(chunk)
      // A message that comes octet by octet must not take an object for each octet.
      if (++this.#loose === CHUNKS_JOINED) {
        this.#chunks.push(Buffer.concat(this.#chunks.splice(-CHUNKS_JOINED)))
        this.#loose = 0
      }
    }
  }

  #drop(fault: DataFault): void {
    this.fault = fault
    this.#chunks = []
    this.release()
  }

  #finish(textEnd: number): Buffer {
    if (this.fault) return EMPTY
    let sent = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    // An earlier chunk may hold octets of the line `.`; an empty message has none.
    if (textEnd < 0) sent = sent.subarray(0, Math.max(0, sent.length + textEnd))
    this.#chunks = []
    const { bytes, bareLineEnds } = readMessageText(sent)
    if (bareLineEnds) this.fault = 'bareLineEnds'
    else if (bytes.length > this._maxBytes) this.fault = 'tooLarge'
    else return bytes
    return EMPTY
  }
}
