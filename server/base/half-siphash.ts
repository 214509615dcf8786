/**
 * HalfSipHash-2-4 (Aumasson and Bernstein's reference, 32-bit output): a keyed hash of a few octets in a fraction of a microsecond of
 * plain JavaScript. An HMAC through node:crypto costs 2 us, and a list page encodes hundreds of ids. The state is in local variables,
 * in a loop over words, because typed arrays and calls would cost more than the hash.
 */

/** @param length octets of `data` that count @param tweak further octets, as characters of an ASCII text */
export function halfSipHash(key: Uint8Array, data: Uint8Array, length: number, tweak: string): number {
  const k0 = key[0]! | (key[1]! << 8) | (key[2]! << 16) | (key[3]! << 24)
  const k1 = key[4]! | (key[5]! << 8) | (key[6]! << 16) | (key[7]! << 24)
  let a = k0
  let b = k1
  let c = 0x6c796765 ^ k0
  let d = 0x74656462 ^ k1
  const total = length + tweak.length
  const words = total >>> 2
  for (let step = 0; step <= words + 1; step++) {
    let m = 0
    if (step <= words) {
      const start = step << 2
      if (start + 4 <= length) {
        m = data[start]! | (data[start + 1]! << 8) | (data[start + 2]! << 16) | (data[start + 3]! << 24)
      } else {
        for (let i = 0; i < 4; i++) {
          const at = start + i
          if (at < length) m |= data[at]! << (8 * i)
          else if (at < total) m |= tweak.charCodeAt(at - length) << (8 * i)
        }
      }
      if (step === words) m |= total << 24
      d ^= m
    } else {
      c ^= 0xff
    }
    for (let rounds = step <= words ? 2 : 4; rounds > 0; rounds--) {
      a = (a + b) | 0
      b = ((b << 5) | (b >>> 27)) ^ a
      a = (a << 16) | (a >>> 16)
      c = (c + d) | 0
      d = ((d << 8) | (d >>> 24)) ^ c
      a = (a + d) | 0
      d = ((d << 7) | (d >>> 25)) ^ a
      c = (c + b) | 0
      b = ((b << 13) | (b >>> 19)) ^ c
      c = (c << 16) | (c >>> 16)
    }
    if (step <= words) a ^= m
  }
  return (b ^ d) >>> 0
}
