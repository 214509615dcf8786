/** A message as DATA carries it (RFC 5321 4.5.2): a dot more where a line begins with one, and the line that ends it. Pure. */

const DOT = 0x2e
const STUFFED = Buffer.from('\r\n.')
const END = Buffer.from('.\r\n')
const BREAK_AND_END = Buffer.from('\r\n.\r\n')

/** @param bytes whose lines end with CRLF, but perhaps the last */
export function dotStuffed(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  let copied = 0
  if (bytes[0] === DOT) pieces.push(STUFFED.subarray(2))
  for (let at = bytes.indexOf(STUFFED); at >= 0; at = bytes.indexOf(STUFFED, at + STUFFED.length)) {
    // Up to and with the dot, which then comes again.
    pieces.push(bytes.subarray(copied, at + STUFFED.length))
    copied = at + STUFFED.length - 1
  }
  const isEnded = bytes.length === 0 || bytes[bytes.length - 1] === 0x0a
  pieces.push(bytes.subarray(copied), isEnded ? END : BREAK_AND_END)
  return Buffer.concat(pieces)
}
