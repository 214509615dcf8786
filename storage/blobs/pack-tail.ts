/**
 * The end of the newest pack. Only this file decides that a blob is durable. After a failed sync it is unknown what the disk holds (the
 * kernel drops the dirty pages, and the next sync succeeds), so nothing more is written until the process restarts.
 */
import type { Clock } from '../../server/base/clock.ts'
import { Failure } from '../../server/base/errors.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { BlobLocation, NewBlob } from '../blob-store.ts'
import { type DiskFile, errorCode, isFull } from './disk.ts'
import { diskFailure } from './failures.ts'
import type { PackFolder } from './pack-folder.ts'
import {
  checkOf,
  encodeFileHeader,
  encodeRecordHeader,
  FILE_HEADER_BYTES,
  formatLocation,
  newSalt,
  recordBytes,
} from './pack-format.ts'
import { scanPack } from './pack-scan.ts'

export interface PackTailOptions {
  readonly folder: PackFolder
  readonly clock: Clock
  readonly logger: Logger
  readonly maxPackBytes: number
  readonly onDiskFault: (failure: Failure) => void
}

interface ActivePack {
  readonly number: number
  readonly salt: Uint8Array
  readonly file: DiskFile
  /** Octets that are durable; 0: the file header is not durable either. */
  end: number
  /** Whether its name in the folder is durable. */
  named: boolean
}

/** Calls of `append` must not overlap. */
export class PackTail {
  readonly #options: PackTailOptions
  #active: ActivePack | undefined
  #highest = 0
  #fault: Failure | undefined

  constructor(options: PackTailOptions) {
    this.#options = options
  }

  /** Continues the newest pack if it ends with a complete record. */
  async open(): Promise<void> {
    const { folder, logger, maxPackBytes } = this.#options
    this.#highest = (await folder.packs()).at(-1) ?? 0
    if (this.#highest === 0) return
    const file = await folder.disk.open(folder.packPath(this.#highest), 'write')
    const { salt, clean, size } = await scanPack(file, this.#highest)
    if (salt && clean && size < maxPackBytes) {
      // What a killed process wrote may not be on disk yet, and neither the file's name. Only the last batch may be incomplete after a
      // power failure (pack-scan.ts), so this one is synced before the next begins.
      await file.sync()
      this.#active = { number: this.#highest, salt, file, end: size, named: false }
      return
    }
    // Nothing is truncated: what looks incomplete could be an old blob with a damaged header.
    if (!clean)
      logger.warn({ pack: this.#highest }, 'the newest pack ends with an incomplete write; it is not continued')
    await file.close()
  }

  /** Number of the newest pack, which is never deleted, so that its number is not used again. 0: there is none. */
  get highest(): number {
    return this.#highest
  }

  /** Octets that are durable of the pack that is being written; undefined for other packs. */
  durableEnd(pack: number): number | undefined {
    return this.#active?.number === pack ? this.#active.end : undefined
  }

  /** @throws Failure after a fault of the disk */
  requireWritable(): void {
    if (this.#fault) throw this.#fault
  }

  /** Octets of records that fit into the pack to which a record of `bytes` octets will be written. */
  roomFor(bytes: number): number {
    const empty = this.#options.maxPackBytes - FILE_HEADER_BYTES
    const left = this.#active ? this.#options.maxPackBytes - this.#active.end : empty
    return bytes > left ? empty : left
  }

  /** Writes the blobs and syncs once. When it rejects with a Failure, none of them was stored. */
  async append(blobs: readonly NewBlob[]): Promise<BlobLocation[]> {
    this.requireWritable()
    const pack = await this.#packFor(recordBytes(blobs[0]!.bytes.length))
    const { octets, locations, end } = encodeBatch(pack, blobs, this.#options.clock.now())
    await this.#write(pack, octets)
    await this.#sync(pack)
    pack.end = end
    return locations
  }

  async close(): Promise<void> {
    await this.#active?.file.close()
    this.#active = undefined
  }

  async #packFor(bytes: number): Promise<ActivePack> {
    const active = this.#active
    if (active && (active.end <= FILE_HEADER_BYTES || active.end + bytes <= this.#options.maxPackBytes)) return active
    try {
      // Everything in the old pack is durable already.
      await this.close()
      this.#active = await this.#create()
      return this.#active
    } catch (error) {
      throw diskFailure(error, 'creating a pack')
    }
  }

  async #create(): Promise<ActivePack> {
    const { folder } = this.#options
    for (let number = this.#highest + 1; ; number++) {
      try {
        const file = await folder.disk.open(folder.packPath(number), 'create')
        this.#highest = number
        return { number, salt: newSalt(), file, end: 0, named: false }
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
    }
  }

  async #write(pack: ActivePack, octets: readonly Uint8Array[]): Promise<void> {
    try {
      await pack.file.write(octets, pack.end)
    } catch (error) {
      if (!isFull(error)) throw await this.#refuseWrites(pack, error, 'writing a pack')
      await this.#truncate(pack)
      throw diskFailure(error, 'writing a pack')
    }
  }

  /** The disk is full: removes the part of the batch that was written. */
  async #truncate(pack: ActivePack): Promise<void> {
    try {
      await pack.file.truncate(pack.end)
    } catch (error) {
      const { logger } = this.#options
      logger.warn(
        { pack: pack.number, code: errorCode(error) },
        'a pack could not be truncated; the next blobs go to a new one',
      )
      this.#active = undefined
      await pack.file.close().catch(() => {})
    }
  }

  async #sync(pack: ActivePack): Promise<void> {
    try {
      await pack.file.sync()
      if (!pack.named) await this.#options.folder.disk.syncFolder(this.#options.folder.path)
      pack.named = true
    } catch (error) {
      throw await this.#refuseWrites(pack, error, 'syncing a pack')
    }
  }

  async #refuseWrites(pack: ActivePack, error: unknown, doing: string): Promise<Failure> {
    const { logger, onDiskFault } = this.#options
    const message = `the disk failed while ${doing}: blobs cannot be stored until a restart`
    logger.error({ code: errorCode(error) }, message)
    this.#fault = new Failure('storageUnavailable', message, { cause: error })
    // The kernel may hold pages of this batch that are not on disk but count as clean. Without them the next process does not build on them.
    await pack.file.truncate(pack.end).catch(() => {})
    onDiskFault(this.#fault)
    return diskFailure(error, doing)
  }
}

/** The octets of one write, the locations of its blobs, and the new end of the pack. */
function encodeBatch(pack: ActivePack, blobs: readonly NewBlob[], writtenAt: number) {
  const octets: Uint8Array[] = pack.end === 0 ? [encodeFileHeader(pack.salt)] : []
  const batch = Math.max(pack.end, FILE_HEADER_BYTES)
  let offset = batch
  const locations = blobs.map((blob) => {
    const at = { pack: pack.number, offset, length: blob.bytes.length, check: checkOf(blob.hash) }
    octets.push(encodeRecordHeader(pack.salt, blob, batch, writtenAt), blob.bytes)
    offset += recordBytes(blob.bytes.length)
    return formatLocation(at)
  })
  return { octets, locations, end: offset }
}
