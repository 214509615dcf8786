/** RFC 4648 6 base32, lower case and without padding: safe in URLs, file names and JMAP ids. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const VALUES = new Int8Array(128).fill(-1)
for (let i = 0; i < 32; i++) VALUES[ALPHABET.charCodeAt(i)] = i

export function base32Encode(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(buffer >>> bits) & 31]
    }
  }
  if (bits > 0) text += ALPHABET[(buffer << (5 - bits)) & 31]
  return text
}

/** The bytes of a text, or null when it holds another character or left-over bits that are not zero. */
export function base32Decode(text: string): Uint8Array | null {
  const bytes = new Uint8Array((text.length * 5) >>> 3)
  let buffer = 0
  let bits = 0
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const value = code < 128 ? VALUES[code]! : -1
    if (value < 0) return null
    buffer = ((buffer << 5) | value) & 0xffff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[length++] = (buffer >>> bits) & 255
    }
  }
  // Two texts must never mean the same bytes, else one object had two ids.
  if (bits >= 5 || (buffer & ((1 << bits) - 1)) !== 0) return null
  return bytes
}
