const LF = 0x0a
const CR = 0x0d

/** Some servers give messages as they lie on their disk, with LF alone. A message with any CRLF is left as it is. */
export function withCrlf(message: Buffer): Buffer {
  const first = message.indexOf(LF)
  if (first < 0 || message.includes('\r\n')) return message
  let ends = 0
  for (let at = first; at >= 0; at = message.indexOf(LF, at + 1)) ends++
  const whole = Buffer.allocUnsafe(message.length + ends)
  let to = 0
  for (let from = 0; from < message.length; ) {
    const end = message.indexOf(LF, from)
    const next = end < 0 ? message.length : end
    to += message.copy(whole, to, from, next)
    if (end >= 0) {
      whole[to++] = CR
      whole[to++] = LF
    }
    from = next + 1
  }
  return whole
}
