/**
 * Appends to the newest pack by group commit: while one write and sync runs, what comes in collects and shares the next.
 * The one place that decides whether a blob is durable. After a failed sync nobody can tell what the disk holds (the kernel drops
 * the dirty pages and the next sync succeeds), so nothing is written any more until the process starts again.
 */
import type { Clock } from '../../server/base/clock.ts'
import { Failure } from '../../server/base/errors.ts'
import { PACK_BATCH_MAX_BYTES } from '../../server/base/limits.ts'
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

interface Waiting {
  readonly blob: NewBlob
  resolve(location: BlobLocation): void
  reject(error: unknown): void
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

export interface PackWriterOptions {
  readonly folder: PackFolder
  readonly clock: Clock
  readonly logger: Logger
  readonly maxPackBytes: number
}

export class PackWriter {
  readonly #options: PackWriterOptions
  #active: ActivePack | undefined
  #highest = 0
  #queue: Waiting[] = []
  #running: Promise<void> | undefined
  #broken: Failure | undefined

  constructor(options: PackWriterOptions) {
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
      this.#active = { number: this.#highest, salt, file, end: size, named: true }
      return
    }
    // Nothing is cut off: what looks torn could be an old blob with a damaged header.
    if (!clean) logger.warn({ pack: this.#highest }, 'the newest pack ends in an unfinished write; it is left as it is')
    await file.close()
  }

  /** Octets of a pack that are durable, when it is the one being written. */
  durableEnd(pack: number): number | undefined {
    return this.#active?.number === pack ? this.#active.end : undefined
  }

  /** The newest pack there is or was: its number must not be given again, so it is not deleted. */
  get highest(): number {
    return this.#highest
  }

  append(blobs: readonly NewBlob[]): Promise<BlobLocation[]> {
    const results = blobs.map(
      (blob) => new Promise<BlobLocation>((resolve, reject) => this.#queue.push({ blob, resolve, reject })),
    )
    // In a microtask, so that whoever calls in the same turn shares the sync.
    this.#running ??= Promise.resolve().then(() => this.#run())
    return Promise.all(results)
  }

  /** @throws Failure when writing has been given up. */
  requireSound(): void {
    if (this.#broken) throw this.#broken
  }

  async close(): Promise<void> {
    await this.#running
    await this.#active?.file.close()
    this.#active = undefined
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#take()
      try {
        const locations = await this.#commit(batch.map(({ blob }) => blob))
        for (const [index, waiting] of batch.entries()) waiting.resolve(locations[index]!)
      } catch (error) {
        for (const waiting of batch) waiting.reject(error)
      }
    }
    this.#running = undefined
  }

  /** As many from the queue as fit into one write and one pack, at least one. */
  #take(): Waiting[] {
    const { maxPackBytes } = this.#options
    const first = recordBytes(this.#queue[0]!.blob.bytes.length)
    const end = this.#active ? Math.max(this.#active.end, FILE_HEADER_BYTES) : FILE_HEADER_BYTES
    const room = end + first > maxPackBytes ? maxPackBytes - FILE_HEADER_BYTES : maxPackBytes - end
    const most = Math.min(room, PACK_BATCH_MAX_BYTES)
    let bytes = first
    let count = 1
    for (; count < this.#queue.length; count++) {
      bytes += recordBytes(this.#queue[count]!.blob.bytes.length)
      if (bytes > most) break
    }
    return this.#queue.splice(0, count)
  }

  async #commit(blobs: readonly NewBlob[]): Promise<BlobLocation[]> {
    this.requireSound()
    const pack = await this.#packFor(recordBytes(blobs[0]!.bytes.length))
    const { octets, locations, end } = this.#encode(pack, blobs)
    await this.#write(pack, octets)
    await this.#sync(pack)
    pack.end = end
    return locations
  }

  async #packFor(bytes: number): Promise<ActivePack> {
    const active = this.#active
    if (active && (active.end <= FILE_HEADER_BYTES || active.end + bytes <= this.#options.maxPackBytes)) return active
    this.#active = undefined
    try {
      // All of it is durable already, so there is nothing that closing could lose.
      await active?.file.close()
      return (this.#active = await this.#create())
    } catch (error) {
      throw diskFailure(error, 'beginning a pack')
    }
  }

  async #create(): Promise<ActivePack> {
    const { folder } = this.#options
    for (;;) {
      const number = ++this.#highest
      try {
        const file = await folder.disk.open(folder.packPath(number), 'create')
        return { number, salt: newSalt(), file, end: 0, named: false }
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
    }
  }

  #encode(pack: ActivePack, blobs: readonly NewBlob[]) {
    const octets: Uint8Array[] = pack.end === 0 ? [encodeFileHeader(pack.salt)] : []
    const writtenAt = this.#options.clock.now()
    const batch = Math.max(pack.end, FILE_HEADER_BYTES)
    let offset = batch
    const locations = blobs.map((blob) => {
      octets.push(encodeRecordHeader(pack.salt, blob, batch, writtenAt), blob.bytes)
      const at = { pack: pack.number, offset, length: blob.bytes.length, check: checkOf(blob.hash) }
      offset += recordBytes(blob.bytes.length)
      return formatLocation(at)
    })
    return { octets, locations, end: offset }
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
      this.#options.logger.warn(
        { pack: pack.number, code: errorCode(error) },
        'a pack could not be cut; a new one is begun',
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
      throw this.#giveUp(error, 'syncing a pack')
    }
  }

  #giveUp(error: unknown, doing: string): Failure {
    this.#options.logger.error(
      { code: errorCode(error) },
      `the disk failed while ${doing}: no blob is written until a restart`,
    )
    this.#broken = new Failure('storageUnavailable', 'the disk failed; nothing is written until a restart', {
      cause: error,
    })
    return diskFailure(error, doing)
  }
}
