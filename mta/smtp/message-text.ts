/**
 * The octets between DATA and its end (RFC 5321 4.1.1.4, 4.5.2), read as they arrive. Each octet is read once, so that very short lines
 * cost no more than long ones. Pure.
 */

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

/** The state after the octets read so far. */
type Place = 'inLine' | 'afterCr' | 'lineStart' | 'afterDot' | 'afterDotCr'

export interface TextPiece {
  /** Octets of the message: those given without stuffed dots and without the line that ends the message. They share the memory given. */
  readonly text: Buffer
  /** Octet after the end of the message, where commands continue; null: the message goes on. */
  readonly next: number | null
}

export class MessageText {
  // A first line `.` ends an empty message: the CRLF before it is that of the DATA command.
  #place: Place = 'lineStart'
  #bareLineEnds = false

  /** The message has a CR without LF or an LF without CR: two servers may find different ends of such a message. */
  get bareLineEnds(): boolean {
    return this.#bareLineEnds
  }

  /** Reads the next octets as they were sent. Stuffed dots are taken out in place. */
  read(sent: Buffer): TextPiece {
    let place = this.#place
    let kept = 0
    let i = 0
    for (; i < sent.length; i++) {
      let code = sent[i]!
      // Most octets are in lines, and above CR.
      while (place === 'inLine' && code > CR && i < sent.length - 1) {
        if (kept !== i) sent[kept] = code
        kept++
        code = sent[++i]!
      }
      if (place === 'afterDot' && code === CR) {
        // It belongs to the end of the message, or is a fault.
        place = 'afterDotCr'
        continue
      }
      if (code === LF) {
        if (place === 'afterDotCr') {
          this.#place = 'lineStart'
          return { text: sent.subarray(0, kept), next: i + 1 }
        }
        // RFC 5321 2.3.8: CR and LF come only together.
        if (place !== 'afterCr') this.#bareLineEnds = true
        place = place === 'afterCr' ? 'lineStart' : 'inLine'
      } else {
        if (place === 'afterCr' || place === 'afterDotCr') this.#bareLineEnds = true
        if (place === 'lineStart' && code === DOT) {
          // RFC 5321 4.5.2: a period that begins a line is removed, whatever follows it.
          place = 'afterDot'
          continue
        }
        place = code === CR ? 'afterCr' : 'inLine'
      }
      if (kept !== i) sent[kept] = code
      kept++
    }
    this.#place = place
    return { text: sent.subarray(0, kept), next: null }
  }
}
