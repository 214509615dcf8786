/**
 * The port to the octets of staged files: a folder on disk, or S3. A file has a place, a text that nobody can guess, and grows from its
 * beginning. What a file is and who may use it is in the database (jmap/imports/staged-files.ts).
 */

export interface StagedStore {
  /** Octets that are durable; 0 for a place without any. */
  offset(place: string): Promise<number>
  /**
   * Writes octets from `from` on, which is what `offset` says, and resolves to the octets that are durable then. If `chunks` ends early or
   * throws, what came before stays as far as it is durable. At `size` the file is complete.
   * @throws Failure `storageFull`, `storageUnavailable`
   */
  append(place: string, range: UploadRange, chunks: AsyncIterable<Buffer>): Promise<number>
  /** A file that is complete. @throws Failure `corrupt`: it is not there */
  open(place: string, size: number): Promise<StagedFile>
  /** Deletes a file, complete or not. No effect if there is none. */
  remove(place: string): Promise<void>
  /** All places. */
  list(): Promise<string[]>
}

export interface UploadRange {
  readonly from: number
  /** Octets of the whole file. */
  readonly size: number
}

/** Octets that are read in any order. */
export interface StagedFile {
  readonly size: number
  /** Fewer octets only at the end. */
  read(position: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/** The octets from a position to the end. */
export async function* chunksOf(file: StagedFile, from: number, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let position = from; position < file.size; ) {
    const chunk = await file.read(position, Math.min(chunkBytes, file.size - position))
    if (chunk.length === 0) return
    position += chunk.length
    yield chunk
  }
}
