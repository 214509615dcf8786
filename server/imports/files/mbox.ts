/**
 * Splits an mbox into messages (decision D33: mboxrd; RFC 4155). A line "From " after a blank line, or at the beginning, starts a message;
 * exactly one blank line before it belongs to it. Nothing is held beyond a message, and a message beyond the limit is not held either;
 * lines may be of any length.
 */
import { SourceError } from '../import-source.ts'

export interface MboxMessage {
  /** Octet of the mbox after the message: that of the next one. */
  readonly end: number
  /** Octets of the message as it stands there. */
  readonly size: number
  /** The message with its From_ line; null: it is too large. */
  readonly text: Buffer | null
}

const MARK = Buffer.from('\nFrom ')
const FIRST = Buffer.from('From ')
const BYTE_ORDER_MARK = Buffer.from('\u{feff}')
/** A mark with the blank line before it: what is kept of a buffer, so that a mark is found wherever buffers end. */
const KEPT = MARK.length + 2
/** Blank lines at the beginning of a file. */
const BLANK_MAX = 1_024
const LF = 0x0a
const CR = 0x0d

export interface MboxOptions {
  /** Octet at which a message begins. */
  readonly from: number
  readonly maxOctets: number
  /** For errors. */
  readonly name: string
}

/** @throws SourceError `unusable`: it does not begin with a message */
export async function* splitMbox(chunks: AsyncIterable<Buffer>, options: MboxOptions): AsyncGenerator<MboxMessage> {
  const reader = new MboxReader(options)
  for await (const chunk of chunks) yield* reader.take(chunk, false)
  yield* reader.take(EMPTY, true)
}

const EMPTY = Buffer.alloc(0)

class MboxReader {
  readonly #options: MboxOptions
  #message: Collected
  /** Octets that may be part of a mark, or the beginning. */
  #rest: Buffer = EMPTY
  #hasBegun = false

  constructor(options: MboxOptions) {
    this.#options = options
    this.#message = new Collected(options.from, options.maxOctets)
  }

  *take(chunk: Buffer, isEnd: boolean): Generator<MboxMessage> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    if (!this.#hasBegun) {
      if (!isEnd && this.#rest.length < BLANK_MAX + FIRST.length) return
      if (!this.#begin()) return
    }
    let rest = this.#rest
    for (let at = rest.indexOf(MARK); at >= 0; ) {
      const blank = blankBefore(rest, at)
      if (blank < 0) {
        at = rest.indexOf(MARK, at + 1)
        continue
      }
      yield this.#end(rest.subarray(0, blank), at + 1 - blank)
      rest = rest.subarray(at + 1)
      at = rest.indexOf(MARK)
    }
    if (isEnd) {
      const end = withoutBlank(rest)
      if (this.#message.size + end > 0) yield this.#end(rest.subarray(0, end), rest.length - end)
    } else if (rest.length > KEPT) {
      this.#message.add(rest.subarray(0, rest.length - KEPT))
      rest = rest.subarray(rest.length - KEPT)
    }
    this.#rest = rest
  }

  /** @param passed octets of the separator, which are of no message */
  #end(last: Buffer, passed: number): MboxMessage {
    this.#message.add(last)
    const done = this.#message.done(passed)
    this.#message = new Collected(done.end, this.#options.maxOctets)
    return done
  }

  /** Passes blank lines. Returns false if there is nothing else. */
  #begin(): boolean {
    let at = this.#rest.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0
    while (at < BLANK_MAX && (this.#rest[at] === LF || this.#rest[at] === CR)) at++
    if (at === this.#rest.length) return false
    if (!this.#rest.subarray(at, at + FIRST.length).equals(FIRST))
      throw new SourceError('unusable', `${this.#options.name} is no mbox: it does not begin with "From ".`)
    this.#message = new Collected(this.#options.from + at, this.#options.maxOctets)
    this.#rest = this.#rest.subarray(at)
    this.#hasBegun = true
    return true
  }
}

/** Where the blank line before a mark begins; -1: there is none. */
function blankBefore(buffer: Buffer, at: number): number {
  if (buffer[at - 1] === LF) return at
  return buffer[at - 1] === CR && buffer[at - 2] === LF ? at - 1 : -1
}

/** RFC 4155: a blank line ends the last message, too. Where it begins; else the end. */
function withoutBlank(buffer: Buffer): number {
  const { length } = buffer
  if (buffer[length - 1] !== LF) return length
  const blank = buffer[length - 2] === CR ? length - 2 : length - 1
  return buffer[blank - 1] === LF ? blank : length
}

/** The octets of a message, as far as it is not too large. */
class Collected {
  readonly #start: number
  readonly #maxOctets: number
  #pieces: Buffer[] = []
  #size = 0

  constructor(start: number, maxOctets: number) {
    this.#start = start
    this.#maxOctets = maxOctets
  }

  get size(): number {
    return this.#size
  }

  add(piece: Buffer): void {
    this.#size += piece.length
    if (this.#size > this.#maxOctets) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  done(passed: number): MboxMessage {
    const size = this.#size
    const text = size > this.#maxOctets ? null : Buffer.concat(this.#pieces, size)
    return { end: this.#start + size + passed, size, text }
  }
}
