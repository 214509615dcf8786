/**
 * The port to where bytes lie: packs on disk, or S3. Content-addressed by SHA-256; what is known about a blob (who may read it,
 * what refers to it) is in the database, never here. A blob is durable when `put` resolves, which is before its row commits.
 */
export interface BlobStore {
  /** Durable when it resolves (fdatasync of file and, for a new file, folder; or the service's 200). Idempotent per hash. */
  put(blobs: readonly NewBlob[]): Promise<BlobLocation[]>
  /** The octets of `range` (all without it). Rejects with Failure 'corrupt' when they are absent or not what was stored. */
  read(location: BlobLocation, range?: ByteRange): Promise<Uint8Array>
  /** Forgets blobs: packs note a hole that `compact` takes back, S3 deletes. Idempotent. */
  remove(locations: readonly BlobLocation[]): Promise<void>
  /** Every blob present with the time it was written, for the sweep of what no row refers to, and for `verify`. */
  list(): AsyncIterable<{ location: BlobLocation; writtenAt: number }>
  close(): Promise<void>
}

export interface NewBlob {
  /** SHA-256 of `bytes`, 32 octets. */
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
}

/** Opaque text kept in the blob's row, such as `pack:12:4096:18234` or `s3:ab/cdef...`. */
export type BlobLocation = string

/** Octets from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}
