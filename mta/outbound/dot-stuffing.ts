/** The DATA form of a message (RFC 5321 4.5.2): a second dot where a line begins with one, and the final line. Pure. */

const DOT = 0x2e
const STUFFED = Buffer.from('\r\n.')
const END = Buffer.from('.\r\n')
const BREAK_AND_END = Buffer.from('\r\n.\r\n')

/**
 * Only a piece with a line that begins with a dot is copied: a message under way is in memory once.
 * @param pieces of the message, with CRLF line ends. Each begins a line; the last line of the last one may have no end
 */
export function dotStuffed(pieces: readonly Buffer[]): Buffer[] {
  const last = pieces.findLast(({ length }) => length > 0)
  const isEnded = last === undefined || last[last.length - 1] === 0x0a
  return [...pieces.map(stuffed), isEnded ? END : BREAK_AND_END]
}

function stuffed(bytes: Buffer): Buffer {
  const beginsWithDot = bytes[0] === DOT
  let dots = beginsWithDot ? 1 : 0
  for (let at = nextDot(bytes, 0); at >= 0; at = nextDot(bytes, at)) dots++
  if (dots === 0) return bytes
  const out = Buffer.allocUnsafe(bytes.length + dots)
  let [copied, length] = [0, 0]
  const copyTo = (end: number) => {
    length += bytes.copy(out, length, copied, end)
    copied = end
  }
  if (beginsWithDot) out[length++] = DOT
  for (let at = nextDot(bytes, 0); at >= 0; at = nextDot(bytes, at)) {
    copyTo(at)
    out[length++] = DOT
  }
  copyTo(bytes.length)
  return out
}

/** Octet of the next dot after `from` with which a line begins, the first line excepted; negative: there is none. */
function nextDot(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(STUFFED, from)
  return at < 0 ? at : at + STUFFED.length - 1
}
