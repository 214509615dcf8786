/**
 * The port to the place of octets: packs on disk, or S3. Blobs are addressed by their SHA-256. What else is known of a blob (who may
 * read it, what refers to it) is in the database. A blob is durable when `put` resolves, which is before its row commits.
 *
 * Every method may reject with Failure 'storageUnavailable' (try later), and with 'shuttingDown' after `close`.
 */
export interface BlobStore {
  /**
   * Resolves when the blobs are durable (fdatasync of the file and, for a new file, fsync of the folder; or the service's 200), with
   * their locations in the order given. Putting the same octets again is harmless and gives another location: the row decides which
   * one is used, and the sweep removes the other. So the removal of an old location never hits the one of a newer row.
   * `bytes` must not change until it settles. Rejects with Failure 'storageFull' when there is no room; then no blob was stored.
   */
  put(blobs: readonly NewBlob[]): Promise<BlobLocation[]>
  /**
   * The octets of `range`, cut at the end of the blob; all octets without it. They are the caller's, who may give their memory away.
   * Rejects with Failure 'corrupt' when they are missing or differ from what was stored. The blob may have moved since its row was read, so
   * the caller reads the row again before it reports a loss. A removed blob may still be readable for a while. Rejects with RangeError for
   * an invalid range.
   */
  read(location: BlobLocation, range?: ByteRange): Promise<Uint8Array>
  /** Removes blobs: packs note a hole for `compact`, S3 deletes. Idempotent. The row must be deleted before. */
  remove(locations: readonly BlobLocation[]): Promise<void>
  /**
   * Every stored blob with the time it was written, for `verify` and for the sweep of blobs without a row. A blob is stored before
   * its row is, so the sweep skips young ones.
   */
  list(): AsyncIterable<ListedBlob>
  /**
   * Frees the space of removed blobs. One run frees a bounded part, and the next run continues there. Absent where the store frees
   * space by itself. Calls `moved` for each blob whose copy is durable; rejects when `moved` rejects, and can be called again then.
   * Only one runs at a time.
   * @param isStopping polled between blobs; true ends the run
   */
  compact?(moved: Moved, isStopping?: () => boolean): Promise<Compaction>
  /** Resolves when the calls in progress have ended. */
  close(): Promise<void>
}

export interface NewBlob {
  /** SHA-256 of `bytes`, 32 octets. */
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
}

/** Opaque text for the blob's row, such as `pack:12:4096:18234:9f86d081884c7d65` or `s3:ab/cdef...-k3h5:18234`. */
export type BlobLocation = string

/** Octets from `start` up to, but not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Resolves when the row with the location `from` durably has `to`, or when there is no such row. */
export type Moved = (from: BlobLocation, to: BlobLocation) => Promise<void>

export interface Compaction {
  /** Octets freed on disk. */
  readonly freedBytes: number
  readonly movedBlobs: number
}

export interface ListedBlob {
  readonly location: BlobLocation
  /** Epoch milliseconds. */
  readonly writtenAt: number
}
