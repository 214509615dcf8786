/**
 * The canonical forms of a message body (RFC 6376 3.4.3, 3.4.4), as a stream of pieces: their number follows from the octets that come in
 * at once, not from the lines in them. The body has CRLF at the ends of its lines, as mailauth's parser passes it on. Pure.
 */
import { Buffer } from 'node:buffer'

/** A piece is valid until the call returns: its memory is used again. */
type Emit = (piece: Buffer) => void

export interface CanonicalBody {
  update(octets: Buffer): void
  /** To be called once, after all octets. */
  end(): void
}

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const LONE_CR = Buffer.from('\r')
const LINE_BREAKS = Buffer.from('\r\n'.repeat(4_096))
const CRLF = LINE_BREAKS.subarray(0, 2)

export function canonicalBody(form: 'simple' | 'relaxed', emit: Emit): CanonicalBody {
  return form === 'relaxed' ? new RelaxedBody(emit) : new SimpleBody(emit)
}

/** Holds back the line breaks at the end until content follows: empty lines at the end of the body do not count. */
class Content {
  readonly #emit: Emit
  #heldBreaks = 0
  isEmpty = true

  constructor(emit: Emit) {
    this.#emit = emit
  }

  /** @param octets that do not end between the CR and the LF of a line break */
  add(octets: Buffer): void {
    let end = octets.length
    while (end >= 2 && octets[end - 1] === LF && octets[end - 2] === CR) end -= 2
    if (end > 0) {
      this.#releaseBreaks()
      this.#emit(octets.subarray(0, end))
      this.isEmpty = false
    }
    this.#heldBreaks += (octets.length - end) / 2
  }

  endWithBreak(): void {
    this.#emit(CRLF)
  }

  #releaseBreaks(): void {
    for (; this.#heldBreaks > 0; this.#heldBreaks -= Math.min(this.#heldBreaks, LINE_BREAKS.length / 2))
      this.#emit(LINE_BREAKS.subarray(0, this.#heldBreaks * 2))
  }
}

/** RFC 6376 3.4.3: the body ends with exactly one line break. */
class SimpleBody implements CanonicalBody {
  readonly #content: Content
  /** The last octet was a CR: the next one says whether it is a line break. */
  #hasCr = false

  constructor(emit: Emit) {
    this.#content = new Content(emit)
  }

  update(octets: Buffer): void {
    const all = this.#hasCr ? Buffer.concat([LONE_CR, octets]) : octets
    this.#hasCr = all.at(-1) === CR
    this.#content.add(this.#hasCr ? all.subarray(0, -1) : all)
  }

  end(): void {
    if (this.#hasCr) this.#content.add(LONE_CR)
    this.#content.endWithBreak()
  }
}

/** RFC 6376 3.4.4: also runs of white space are one space, and those at the end of a line nothing. An empty body stays empty. */
class RelaxedBody implements CanonicalBody {
  readonly #content: Content
  #canonical = Buffer.alloc(0)
  /** White space and, after it, a CR: what follows says whether they end a line. */
  #hasSpace = false
  #hasCr = false

  constructor(emit: Emit) {
    this.#content = new Content(emit)
  }

  update(octets: Buffer): void {
    // A lone LF becomes two octets, and two may be left of the octets before.
    const most = octets.length * 2 + 2
    if (this.#canonical.length < most) this.#canonical = Buffer.allocUnsafeSlow(most)
    this.#content.add(this.#canonical.subarray(0, this.#canonicalize(octets, this.#canonical)))
  }

  end(): void {
    if (this.#hasCr) this.#content.add(this.#hasSpace ? Buffer.from(' \r') : LONE_CR)
    if (!this.#content.isEmpty) this.#content.endWithBreak()
  }

  /** @returns the number of octets written to `out` */
  #canonicalize(octets: Buffer, out: Buffer): number {
    let hasSpace = this.#hasSpace
    let hasCr = this.#hasCr
    let length = 0
    for (let index = 0; index < octets.length; index++) {
      const octet = octets[index] as number
      if (octet === LF) {
        out[length++] = CR
        out[length++] = LF
        hasSpace = false
        hasCr = false
        continue
      }
      if (hasCr) {
        if (hasSpace) out[length++] = SPACE
        out[length++] = CR
        hasSpace = false
        hasCr = false
      }
      if (octet === CR) hasCr = true
      else if (octet === SPACE || octet === TAB) hasSpace = true
      else {
        if (hasSpace) out[length++] = SPACE
        hasSpace = false
        out[length++] = octet
      }
    }
    this.#hasSpace = hasSpace
    this.#hasCr = hasCr
    return length
  }
}
