const LF = 0x0a
const CR = 0x0d

/** Some servers give messages as they lie on their disk, with LF alone. A message with any CRLF is left as it is. */
export function withCrlf(message: Buffer): Buffer {
  return message.includes('\r\n') ? message : everyLineWithCrlf(message)
}

/** RFC 5322 2.1: a line feed alone becomes CRLF; the same octets if there is none. */
export function everyLineWithCrlf(text: Buffer): Buffer {
  let bare = 0
  for (let at = text.indexOf(LF); at >= 0; at = text.indexOf(LF, at + 1)) if (text[at - 1] !== CR) bare++
  if (bare === 0) return text
  const whole = Buffer.allocUnsafeSlow(text.length + bare)
  let from = 0
  let to = 0
  for (let at = text.indexOf(LF); at >= 0; at = text.indexOf(LF, at + 1)) {
    if (text[at - 1] === CR) continue
    to += text.copy(whole, to, from, at)
    whole[to++] = CR
    from = at
  }
  text.copy(whole, to, from)
  return whole
}
