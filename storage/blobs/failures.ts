import { Failure, isFailure } from '../../server/base/errors.ts'
import type { ByteRange } from '../blob-store.ts'
import { isFull } from './disk.ts'

/** An error of the file system as a Failure of the port. */
export function diskFailure(error: unknown, doing: string): Failure {
  if (isFailure(error)) return error
  if (isFull(error)) return new Failure('storageFull', `no room left while ${doing}`, { cause: error })
  return new Failure('storageUnavailable', `the disk failed while ${doing}`, { cause: error })
}

export function corrupt(location: string, why: string, cause?: unknown): Failure {
  return new Failure('corrupt', `blob ${location}: ${why}`, { cause })
}

/** The range, cut at the end of a blob of `length` octets. @throws RangeError for an invalid range */
export function clampRange(range: ByteRange | undefined, length: number): ByteRange {
  if (!range) return { start: 0, end: length }
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) {
    throw new RangeError(`invalid range of octets: from ${start} to ${end}`)
  }
  return { start: Math.min(start, length), end: Math.min(end, length) }
}

/** @throws TypeError for a hash of another size, which is a mistake in the program */
export function requireHashes(blobs: readonly { readonly hash: Uint8Array }[]): void {
  for (const { hash } of blobs)
    if (hash.length !== 32) throw new TypeError('the hash of a blob is its SHA-256, 32 octets')
}
