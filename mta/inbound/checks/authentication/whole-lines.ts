/** The octets of a signed message in chunks of whole lines: mailauth copies the beginning of an unfinished line with each further chunk. */
import type { Buffer } from 'node:buffer'
import { SIGNED_LINE_MAX_BYTES } from '../../../../server/base/inbound-limits.ts'

const LF = 0x0a
const CHUNK_BYTES = 65_536

export function hasLongLine(bytes: Buffer): boolean {
  for (let start = 0; bytes.length - start > SIGNED_LINE_MAX_BYTES; ) {
    // The last line that begins within the bound.
    const last = bytes.subarray(start, start + SIGNED_LINE_MAX_BYTES).lastIndexOf(LF)
    if (last < 0) return true
    start += last + 1
  }
  return false
}

/** @param pieces of a message, in order */
export function* wholeLines(pieces: readonly Buffer[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let from = 0, to = 0; from < piece.length; from = to) {
      to = chunkEnd(piece, from)
      yield piece.subarray(from, to)
    }
  }
}

function chunkEnd(piece: Buffer, from: number): number {
  const most = from + CHUNK_BYTES
  if (most >= piece.length) return piece.length
  const last = piece.subarray(from, most).lastIndexOf(LF)
  if (last >= 0) return from + last + 1
  const next = piece.indexOf(LF, most)
  return next < 0 ? piece.length : next + 1
}
