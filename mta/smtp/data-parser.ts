/**
 * smtp-server's parser with another data mode: a message ends at CRLF.CRLF and nowhere else, is collected without a copy per line,
 * and is handed over as one Buffer. The library's own yields to the event loop at every stuffed dot and leaves `.x` stuffed.
 */
import { SMTPStream, type SMTPStreamOptions } from 'smtp-server/lib/smtp-stream.js'
import { readMessageText } from './message-text.ts'

const END = Buffer.from('\r\n.\r\n')
const EMPTY = Buffer.alloc(0)
/** So many chunks become one. */
const MERGED = 256

/** Octets that all connections of a listener may hold of messages not yet complete. */
export interface ReceivingBudget {
  used: number
  readonly limit: number
}

/** Why a message cannot be stored, known when its end has come. */
export type DataFault = 'tooLarge' | 'noRoom' | 'bareLineEnds'

export class DataParser extends SMTPStream {
  readonly #budget: ReceivingBudget
  #chunks: Buffer[] = []
  /** Chunks at the end that have not been merged. */
  #loose = 0
  #held = 0
  #received = 0
  /** The last octets seen, at most four: the end may be split over chunks. Begins as if after a line end. */
  #tail: Buffer = EMPTY
  #next: (() => void) | null = null
  /** Why the message of `onmessage` is empty. */
  fault: DataFault | null = null
  /** The end of a message has come. Commands are not read on before `resumeCommands`. */
  onmessage: (bytes: Buffer) => void = () => {}
  /** The client goes on far beyond the limit: it is to be cut off. */
  onexcess: () => void = () => {}

  constructor(options: SMTPStreamOptions, budget: ReceivingBudget) {
    super(options)
    this.#budget = budget
  }

  /** What comes next is a message, up to CRLF.CRLF. */
  beginMessage(maxBytes: number): void {
    this.release()
    this.#chunks = []
    this.#loose = 0
    this.#received = 0
    this.#next = null
    this.fault = null
    this._maxBytes = maxBytes
    // A first line `.` ends an empty message: the CRLF in front of it is that of the DATA command.
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

  /** Gives the octets back to the budget: when the message is answered, and when the connection goes away. */
  release(): void {
    this.#budget.used -= this.#held
    this.#held = 0
  }

  /** Where in a chunk the text ends (before the dot; negative when it ended in an earlier chunk) and where commands go on. */
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
    // The dots that stuffing added count here: the limit is judged again on the message itself.
    if (this.#received > this._maxBytes + this._maxBytes / 8) this.#drop('tooLarge')
    else if (this.#budget.used + chunk.length > this.#budget.limit) this.#drop('noRoom')
    else {
      this.#budget.used += chunk.length
      this.#held += chunk.length
      this.#chunks.push(chunk)
      // A message that comes octet by octet must not cost an object for each.
      if (++this.#loose === MERGED) {
        this.#chunks.push(Buffer.concat(this.#chunks.splice(-MERGED)))
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
    // Octets of the line `.` that came with an earlier chunk; none when the message is empty.
    if (textEnd < 0) sent = sent.subarray(0, Math.max(0, sent.length + textEnd))
    this.#chunks = []
    const { bytes, bareLineEnds } = readMessageText(sent)
    if (bareLineEnds) this.fault = 'bareLineEnds'
    else if (bytes.length > this._maxBytes) this.fault = 'tooLarge'
    else return bytes
    return EMPTY
  }
}
