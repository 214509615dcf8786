/** The octets between DATA and its end (RFC 5321 4.1.1.4, 4.5.2). Pure. */

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

export interface MessageText {
  /** The message without stuffed dots. */
  readonly bytes: Buffer
  /** It has a CR without LF or an LF without CR: two servers may find different ends of such a message. */
  readonly bareLineEnds: boolean
}

/** Reads the octets before the line `.`; copies only when a dot is stuffed. */
export function readMessageText(sent: Buffer): MessageText {
  const pieces: Buffer[] = []
  let copied = 0
  let line = 0
  while (line < sent.length) {
    // RFC 5321 4.5.2: a period that begins a line is removed, whatever follows it.
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
