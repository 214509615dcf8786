/** Messages that sockets are still writing. A server may answer before it has read all of one, whose memory must stay then. */
import type { Writable } from 'node:stream'

/** Writes under way, by the memory that they read. */
const pending = new WeakMap<ArrayBufferLike, number>()

/** Writes pieces of a message together. */
export function writePieces(socket: Writable, pieces: readonly Buffer[]): void {
  socket.cork()
  for (const piece of pieces) {
    const { buffer } = piece
    pending.set(buffer, (pending.get(buffer) ?? 0) + 1)
    // Called when the system has all octets, and when the socket is closed: in both cases nothing reads them any more.
    socket.write(piece, () => {
      const left = pending.get(buffer)! - 1
      if (left > 0) pending.set(buffer, left)
      else pending.delete(buffer)
    })
  }
  socket.uncork()
}

export function isBeingWritten({ buffer }: Uint8Array): boolean {
  return pending.has(buffer)
}
