/** Removes fields from the header of a message; the rest keeps its meaning. Pure. */
import { Buffer } from 'node:buffer'
import { asBuffer } from './charset.ts'
import { afterLineBreak, type HeaderBlock, type HeaderField, readWholeHeader } from './header-block.ts'

const CR = 0x0d
const LINE_FEED = Buffer.from('\n')
const CRLF = Buffer.from('\r\n')

export interface WithoutOptions {
  /** The header of the message, if it is known. */
  readonly header?: HeaderBlock | undefined
  /** Also removes lines that belong to no field and that the reader skips. */
  readonly strict?: boolean
}

/**
 * The message without the fields for which `drop` is true, in pieces that share its memory. Lines before the first field, such as the
 * "From " line of an mbox, are removed, so that other fields may be written in front. An empty line ends the header, even if it was
 * missing: other readers then see the same header and body. A message without any of these is one piece.
 */
export function withoutFields(
  bytes: Buffer,
  drop: (field: HeaderField) => boolean,
  { header, strict = false }: WithoutOptions = {},
): Buffer[] {
  // Beyond a limit there may be more fields to remove.
  const block = !header || header.truncated ? readWholeHeader(bytes) : header
  const pieces = new Pieces(bytes)
  let keepsStray = false
  let ownEnd = 0
  for (const field of block.fields) {
    const isKept = !drop(field)
    if (isKept && keepsStray) pieces.add(ownEnd, field.lineStart)
    ownEnd = afterLineBreak(bytes, field.end, bytes.length)
    if (isKept) pieces.add(field.lineStart, ownEnd)
    // A stray line after a removed field may belong to it.
    keepsStray = isKept && !strict
  }
  const { headerEnd, bodyStart } = block
  if (headerEnd < bodyStart) pieces.add(headerEnd, bytes.length)
  else if (bodyStart < bytes.length) pieces.addBody(bodyStart)
  return pieces.all()
}

const BLIND = ['bcc', 'resent-bcc']

/**
 * The message without its Bcc fields (also Resent-Bcc); the same octets if it has none. RFC 5322 3.6.3: other recipients must not see
 * Bcc. It stays in the sender's copy.
 */
export function withoutBcc(bytes: Uint8Array, header: HeaderBlock = readWholeHeader(bytes)): Uint8Array {
  const isBlind = ({ name }: HeaderField) => BLIND.includes(name.toLowerCase())
  if (!header.truncated && !header.fields.some(isBlind)) return bytes
  return Buffer.concat(withoutFields(asBuffer(bytes), isBlind, { header }))
}

/** Ranges of a message; adjacent ones are joined. */
class Pieces {
  readonly #bytes: Buffer
  readonly #pieces: Buffer[] = []
  #start = 0
  #end = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  add(start: number, end: number): void {
    if (start !== this.#end) {
      this.#flush()
      this.#start = start
    }
    this.#end = end
  }

  addBody(start: number): void {
    this.#flush()
    this.#pieces.push(CRLF)
    this.#start = start
    this.#end = this.#bytes.length
  }

  all(): Buffer[] {
    this.#flush()
    return this.#pieces
  }

  #flush(): void {
    if (this.#end === this.#start) return
    this.#pieces.push(this.#bytes.subarray(this.#start, this.#end))
    // A lone CR is also a line end, but not before another line end.
    if (this.#bytes[this.#end - 1] === CR && this.#end < this.#bytes.length) this.#pieces.push(LINE_FEED)
    this.#start = this.#end
  }
}
