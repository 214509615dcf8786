/** The octets between DATA and its end (RFC 5321 4.1.1.4, 4.5.2). Pure. */

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

export interface MessageText {
  /** The message, with stuffed dots taken out. */
  readonly bytes: Buffer
  /** A CR without LF or an LF without CR stands in it: two servers may see different ends in such a message. */
  readonly bareLineEnds: boolean
}

/** Reads what was sent up to, and without, the line `.`; copies only when a dot was stuffed. */
export function readMessageText(sent: Buffer): MessageText {
  const pieces: Buffer[] = []
  let copied = 0
  let line = 0
  while (line < sent.length) {
    // RFC 5321 4.5.2: a period that begins a line is taken away, whatever follows it.
    if (sent[line] === DOT) {
      pieces.push(sent.subarray(copied, line))
      copied = line + 1
    }
    const lf = sent.indexOf(LF, line)
    const cr = sent.indexOf(CR, line)
    if (lf < 0 && cr < 0) break
    // RFC 5321 2.3.8: CR and LF come only together.
    if (lf < 0 || cr !== lf - 1) return { bytes: Buffer.alloc(0), bareLineEnds: true }
    line = lf + 1
  }
  if (pieces.length === 0) return { bytes: sent, bareLineEnds: false }
  pieces.push(sent.subarray(copied))
  return { bytes: Buffer.concat(pieces), bareLineEnds: false }
}
