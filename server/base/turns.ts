/** Long work on a thread that others wait for: it lets other tasks of the event loop run. Each slice stays far below what a client notices. */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { TURN_BYTES, TURN_MS } from './limits.ts'

/** The work of one task, which may have several slices. */
export class Turns {
  #since = performance.now()

  /** Lets other tasks run when the slice has taken long. To be called between steps of a few milliseconds at most. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return
    await nextTurn()
    this.#since = performance.now()
  }
}

/** Lets other tasks run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A copy of the pieces as one; a large one is alone in its memory. Large ones are copied in slices. */
export async function joinInTurns(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  if (size <= TURN_BYTES) return Buffer.concat(pieces, size)
  const whole = Buffer.allocUnsafeSlow(size)
  let at = 0
  for (const slice of slicesOf(pieces)) {
    whole.set(slice, at)
    at += slice.length
    await nextTurn()
  }
  return whole
}

/** A digest of the pieces. Large ones are hashed in slices. */
export async function hashInTurns(pieces: readonly Uint8Array[], algorithm = 'sha256'): Promise<Buffer> {
  const hash = createHash(algorithm)
  let first = true
  for (const slice of slicesOf(pieces)) {
    if (!first && slice.length > 0) await nextTurn()
    first = false
    hash.update(slice)
  }
  return hash.digest()
}

function* slicesOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces)
    for (let from = 0; from < piece.length; from += TURN_BYTES) yield piece.subarray(from, from + TURN_BYTES)
}
