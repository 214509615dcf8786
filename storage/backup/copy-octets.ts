import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { BACKUP_CHUNK_BYTES } from '../../server/base/storage-limits.ts'

/**
 * Copies octets `from` up to `to` of a file into the same place of another, which ends there, and syncs it.
 * @returns false: the source is shorter
 */
export function copyOctets(source: string, target: string, from: number, to: number): boolean {
  const input = openSync(source, 'r')
  try {
    const output = openSync(target, from === 0 ? 'w' : 'r+', 0o600)
    try {
      ftruncateSync(output, from)
      const buffer = Buffer.allocUnsafe(Math.min(BACKUP_CHUNK_BYTES, Math.max(1, to - from)))
      for (let at = from; at < to; ) {
        const count = readSync(input, buffer, 0, Math.min(buffer.length, to - at), at)
        if (count === 0) return false
        for (let written = 0; written < count; )
          written += writeSync(output, buffer, written, count - written, at + written)
        at += count
      }
      fsyncSync(output)
      return true
    } finally {
      closeSync(output)
    }
  } finally {
    closeSync(input)
  }
}
