/** RFC 5322 3.6.3: the Bcc field is not for other eyes; it stays in the sender's copy and leaves the message that is sent. */
import { Buffer } from 'node:buffer'
import { type HeaderField, readHeaders } from './headers.ts'

/** The message without its Bcc fields (Resent-Bcc too); the very same octets when it has none. @param fields its header, where that is known */
export function withoutBcc(bytes: Uint8Array, fields: readonly HeaderField[] = readHeaders(bytes)): Uint8Array {
  if (!fields.some(({ name }) => isBlind(name))) return bytes
  const kept: Uint8Array[] = []
  let position = 0
  for (const field of fields) {
    if (!isBlind(field.name)) continue
    kept.push(bytes.subarray(position, lineStart(bytes, field.start)))
    position = afterLineBreak(bytes, field.end)
  }
  kept.push(bytes.subarray(position))
  return Buffer.concat(kept)
}

function isBlind(name: string): boolean {
  return /^(resent-)?bcc$/i.test(name)
}

function lineStart(bytes: Uint8Array, position: number): number {
  let start = position
  while (start > 0 && bytes[start - 1] !== 0x0a && bytes[start - 1] !== 0x0d) start--
  return start
}

function afterLineBreak(bytes: Uint8Array, position: number): number {
  let end = position
  if (bytes[end] === 0x0d) end++
  if (bytes[end] === 0x0a) end++
  return end
}
