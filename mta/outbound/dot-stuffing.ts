/** The DATA form of a message (RFC 5321 4.5.2): a second dot where a line begins with one, and the final line. Pure. */

const DOT = 0x2e
const STUFFED = Buffer.from('\r\n.')
const END = Buffer.from('.\r\n')
const BREAK_AND_END = Buffer.from('\r\n.\r\n')

/** @param bytes with CRLF line ends; the last line may have none */
export function dotStuffed(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  let copied = 0
  if (bytes[0] === DOT) pieces.push(STUFFED.subarray(2))
  for (let at = bytes.indexOf(STUFFED); at >= 0; at = bytes.indexOf(STUFFED, at + STUFFED.length)) {
    // The dot is copied twice: here and at the beginning of the next piece.
    pieces.push(bytes.subarray(copied, at + STUFFED.length))
    copied = at + STUFFED.length - 1
  }
  const isEnded = bytes.length === 0 || bytes[bytes.length - 1] === 0x0a
  pieces.push(bytes.subarray(copied), isEnded ? END : BREAK_AND_END)
  return Buffer.concat(pieces)
}
