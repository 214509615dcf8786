/**
 * The end of the newest pack: the one place that decides whether a blob is durable. After a failed sync nobody can tell what the
 * disk holds (the kernel drops the dirty pages, and the next sync succeeds), so nothing is written any more until the process
 * starts again.
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
}

interface ActivePack {
  readonly number: number
  readonly salt: Uint8Array
  readonly file: DiskFile
  /** Octets that are durable; 0: not even the file header is. */
  end: number
  /** Whether the folder is known to hold its name. */
  named: boolean
}

/** Its `append` must not be called before the last one settled. */
export class PackTail {
  readonly #options: PackTailOptions
  #active: ActivePack | undefined
  #highest = 0
  #broken: Failure | undefined

  constructor(options: PackTailOptions) {
    this.#options = options
  }

  /** Goes on with the newest pack, if its end is as it was left. */
  async open(): Promise<void> {
    const { folder, logger, maxPackBytes } = this.#options
    this.#highest = (await folder.packs()).at(-1) ?? 0
    if (this.#highest === 0) return
    const file = await folder.disk.open(folder.packPath(this.#highest), 'write')
    const { salt, clean, size } = await scanPack(file, this.#highest)
    if (salt && clean && size < maxPackBytes) {
      // What a killed process wrote may be in memory only, and the file's name too. The batch that comes next may be torn by
      // power loss, this one must not be any more (pack-scan.ts).
      await file.sync()
      this.#active = { number: this.#highest, salt, file, end: size, named: false }
      return
    }
    // Nothing is cut off: what looks torn could be an old blob with a damaged header.
    if (!clean) logger.warn({ pack: this.#highest }, 'the newest pack ends in an unfinished write; it is left as it is')
    await file.close()
  }

  /** The newest pack: its number must not be given again, so it is not deleted. 0: none. */
  get highest(): number {
    return this.#highest
  }

  /** Octets of a pack that are durable, when it is the one being written. */
  durableEnd(pack: number): number | undefined {
    return this.#active?.number === pack ? this.#active.end : undefined
  }

  /** @throws Failure when writing has been given up. */
  requireSound(): void {
    if (this.#broken) throw this.#broken
  }

  /** Octets of records that fit into the pack which a record of `bytes` octets will go to. */
  roomFor(bytes: number): number {
    const empty = this.#options.maxPackBytes - FILE_HEADER_BYTES
    const left = this.#active ? this.#options.maxPackBytes - this.#active.end : empty
    return bytes > left ? empty : left
  }

  /** Writes and syncs once. Rejects with Failure; then none of them is there. */
  async append(blobs: readonly NewBlob[]): Promise<BlobLocation[]> {
    this.requireSound()
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
      // All of it is durable already, so there is nothing that closing could lose.
      await this.close()
      this.#active = await this.#create()
      return this.#active
    } catch (error) {
      throw diskFailure(error, 'beginning a pack')
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
      if (!isFull(error)) throw this.#giveUp(error, 'writing a pack')
      await this.#takeBack(pack)
      throw diskFailure(error, 'writing a pack')
    }
  }

  /** The disk is full: what got written of the batch goes, so that nobody comes to see half of it. */
  async #takeBack(pack: ActivePack): Promise<void> {
    try {
      await pack.file.truncate(pack.end)
    } catch (error) {
      const { logger } = this.#options
      logger.warn({ pack: pack.number, code: errorCode(error) }, 'a pack could not be cut; a new one is begun')
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
      throw this.#giveUp(error, 'syncing a pack')
    }
  }

  #giveUp(error: unknown, doing: string): Failure {
    const words = `the disk failed while ${doing}: no blob is written until a restart`
    this.#options.logger.error({ code: errorCode(error) }, words)
    this.#broken = new Failure('storageUnavailable', words, { cause: error })
    return diskFailure(error, doing)
  }
}

/** Headers and blobs of one write, and where they come to lie. */
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
