/** RFC 4648 6 base32, lower case and without padding: safe in URLs, file names and JMAP ids. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0))
const VALUES = new Int8Array(128).fill(-1)
for (let i = 0; i < 32; i++) VALUES[CODES[i]!] = i

/** Both characters of ten bits. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, bits) => ALPHABET[bits >>> 5]! + ALPHABET[bits & 31]!)

/** The eight characters of five octets, made at once: ids of a list page are hundreds of them. */
function base32Five(a: number, b: number, c: number, d: number, e: number): string {
  return String.fromCharCode(
    CODES[a >>> 3]!,
    CODES[((a & 7) << 2) | (b >>> 6)]!,
    CODES[(b >>> 1) & 31]!,
    CODES[((b & 1) << 4) | (c >>> 4)]!,
    CODES[((c & 15) << 1) | (d >>> 7)]!,
    CODES[(d >>> 2) & 31]!,
    CODES[((d & 3) << 3) | (e >>> 5)]!,
    CODES[e & 31]!,
  )
}

export function base32Encode(bytes: Uint8Array): string {
  let text = ''
  const whole = bytes.length - (bytes.length % 5)
  for (let i = 0; i < whole; i += 5)
    text += base32Five(bytes[i]!, bytes[i + 1]!, bytes[i + 2]!, bytes[i + 3]!, bytes[i + 4]!)
  let buffer = 0
  let bits = 0
  for (let i = whole; i < bytes.length; i++) {
    buffer = ((buffer << 8) | bytes[i]!) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(buffer >>> bits) & 31]
    }
  }
  if (bits > 0) text += ALPHABET[(buffer << (5 - bits)) & 31]
  return text
}

/** The bytes of a text; null: it has another character, or left-over bits that are not zero. */
export function base32Decode(text: string): Uint8Array | null {
  const bytes = new Uint8Array((text.length * 5) >>> 3)
  return base32DecodeInto(bytes, text) === null ? null : bytes
}

/**
 * Writes the bytes of a text to a place that has room for some.
 * @param from index of the first character
 * @returns the number of bytes; null: there are more than the room, or the text is not valid (base32Decode)
 */
export function base32DecodeInto(bytes: Uint8Array, text: string, from = 0): number | null {
  if (((text.length - from) * 5) >>> 3 > bytes.length) return null
  let buffer = 0
  let bits = 0
  let length = 0
  for (let i = from; i < text.length; i++) {
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
  // Two texts must never mean the same bytes, or one object would have two ids.
  if (bits >= 5 || (buffer & ((1 << bits) - 1)) !== 0) return null
  return length
}

/** The four characters of a number below 2 ** 20. */
export function base32Twenty(value: number): string {
  return PAIRS[value >>> 10]! + PAIRS[value & 1023]!
}

/** The number that digits of five bits stand for; null: it has another character. */
export function parseBase32Number(digits: string): number | null {
  let value = 0
  for (let i = 0; i < digits.length; i++) {
    const code = digits.charCodeAt(i)
    const digit = code < 128 ? VALUES[code]! : -1
    if (digit < 0) return null
    value = value * 32 + digit
  }
  return value
}
