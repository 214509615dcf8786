/**
 * The port to where bytes lie: packs on disk, or S3. Content-addressed by SHA-256; what is known about a blob (who may read it,
 * what refers to it) is in the database, never here. A blob is durable when `put` resolves, which is before its row commits.
 *
 * Every method may reject with Failure 'storageUnavailable' (try later), and with 'shuttingDown' after `close`.
 */
export interface BlobStore {
  /**
   * Durable when it resolves (fdatasync of file and, for a new file, folder; or the service's 200), in the order given.
   * Putting the same octets again is harmless, and gives a location of its own: the row decides which one counts and the sweep
   * takes the other. So a removal that was decided for an old row can never hit what a newer row refers to.
   * `bytes` must not change until it settles. Rejects with Failure 'storageFull' when there is no room: then none of them counts.
   */
  put(blobs: readonly NewBlob[]): Promise<BlobLocation[]>
  /**
   * The octets of `range` (all without it), cut at the end of the blob. Rejects with Failure 'corrupt' when they are absent or not
   * what was stored; as a location may have moved since its row was read, look at the row once more before believing "absent".
   * What was removed may still be readable for a while. Rejects with RangeError for a range that is none.
   */
  read(location: BlobLocation, range?: ByteRange): Promise<Uint8Array>
  /** Forgets blobs: packs note a hole that `compact` takes back, S3 deletes. Idempotent. Call it after the row is gone. */
  remove(locations: readonly BlobLocation[]): Promise<void>
  /**
   * Every blob present with the time it was written, for the sweep of what no row refers to, and for `verify`. A blob is here
   * before its row is: a sweep leaves the young ones alone.
   */
  list(): AsyncIterable<ListedBlob>
  /**
   * Takes back the room of removed blobs, a bounded part of it in one run; the next run goes on from there. Absent where the store
   * frees room by itself. Calls `moved` for each blob whose copy is durable; rejects with what `moved` rejects with, and can then be
   * called again. Runs one at a time.
   * @param isStopping asked between blobs: what is left waits for the next run
   */
  compact?(moved: Moved, isStopping?: () => boolean): Promise<Compaction>
  /** Resolves when what was begun is done. */
  close(): Promise<void>
}

export interface NewBlob {
  /** SHA-256 of `bytes`, 32 octets. */
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
}

/** Opaque text kept in the blob's row, such as `pack:12:4096:18234:9f86d081884c7d65` or `s3:ab/cdef...-k3h5:18234`. */
export type BlobLocation = string

/** Octets from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Resolves when the row that had `from` has `to`, durably; also when there is no such row any more. */
export type Moved = (from: BlobLocation, to: BlobLocation) => Promise<void>

export interface Compaction {
  /** Octets given back to the disk. */
  readonly freedBytes: number
  readonly movedBlobs: number
}

export interface ListedBlob {
  readonly location: BlobLocation
  /** Epoch milliseconds. */
  readonly writtenAt: number
}
