/**
 * Blobs in append-only pack files: `<folder>/<n>.pack`, with `<n>.holes` for removed blobs. This code stores octets and finds them; it
 * knows no rows, accounts or messages, and does not decide which blobs are unused.
 *
 * Only one store at a time writes a folder (its process holds the lock of the data folder); any number of processes and threads may read
 * it at the same time. pack-format.ts describes the format of a pack, pack-scan.ts what survives a power failure.
 */
import { resolve } from 'node:path'
import { type Clock, systemClock } from '../../server/base/clock.ts'
import { Failure, isFailure } from '../../server/base/errors.ts'
import { PACK_MAX_BYTES } from '../../server/base/limits.ts'
import { type Logger, silentLogger } from '../../server/base/logger.ts'
import type { BlobLocation, BlobStore, ByteRange, Compaction, ListedBlob, Moved, NewBlob } from '../blob-store.ts'
import { type DiskSpace, ROOM_ELSEWHERE, requireRoom } from '../disk-space.ts'
import { type Disk, isAbsent, nodeDisk } from './disk.ts'
import { corrupt, diskFailure, requireHashes } from './failures.ts'
import { compactPacks, examine } from './pack-compaction.ts'
import { PackFolder } from './pack-folder.ts'
import { formatLocation, type PackLocation, parseLocation, recordBytes } from './pack-format.ts'
import { appendHoles } from './pack-holes.ts'
import { readBlob, readHeader } from './pack-read.ts'
import { readSalt } from './pack-scan.ts'
import { PackTail } from './pack-tail.ts'
import { PackWriter } from './pack-writer.ts'

export interface PackOptions {
  /** Created if it does not exist, unless `readOnly`. */
  readonly folder: string
  /** Reads what another store of the same folder writes. `put`, `remove` and `compact` reject. */
  readonly readOnly?: boolean
  readonly clock?: Clock
  readonly logger?: Logger
  /** Largest size of a pack in octets. */
  readonly maxPackBytes?: number
  readonly disk?: Disk
  /** By default there is always room. Compaction may use the reserve, since it frees room. */
  readonly space?: DiskSpace
  /** Called once when the disk has failed: no more writes (promise D3). */
  readonly onDiskFault?: (failure: Failure) => void
}

export interface PackStore extends BlobStore {
  /**
   * Moves live blobs out of packs that are mostly holes, and deletes packs that have had only holes for PACK_RETIRED_KEEP_MS. One run
   * examines PACK_COMPACT_ROUND_PACKS.
   */
  compact(moved: Moved, isStopping?: () => boolean): Promise<Compaction>
}

/** @throws Failure 'storageUnavailable' or 'storageFull': the folder cannot be created or read */
export async function openPacks(options: PackOptions): Promise<PackStore> {
  const { clock = systemClock, logger = silentLogger, maxPackBytes = PACK_MAX_BYTES, disk = nodeDisk } = options
  const folder = new PackFolder(disk, resolve(options.folder))
  if (options.readOnly) return new Packs(folder, clock, logger, null)
  const { space = ROOM_ELSEWHERE, onDiskFault = () => {} } = options
  const tail = new PackTail({ folder, clock, logger, maxPackBytes, onDiskFault })
  try {
    await disk.makeFolder(folder.path)
    await tail.open()
  } catch (error) {
    throw diskFailure(error, 'opening the packs')
  }
  return new Packs(folder, clock, logger, { tail, writer: new PackWriter(tail), space })
}

interface Writing {
  readonly tail: PackTail
  readonly writer: PackWriter
  readonly space: DiskSpace
}

class Packs implements PackStore {
  readonly #folder: PackFolder
  readonly #clock: Clock
  readonly #logger: Logger
  /** null: read-only. */
  readonly #writing: Writing | null
  #closed = false
  /** Octets that are being put: each put must have room beside the others. */
  #putting = 0
  /** The last write of notes and the last compaction: the next one of each starts after it. */
  #noting: Promise<unknown> = Promise.resolve()
  #compacting: Promise<unknown> = Promise.resolve()
  #nextToCompact = 0

  constructor(folder: PackFolder, clock: Clock, logger: Logger, writing: Writing | null) {
    this.#folder = folder
    this.#clock = clock
    this.#logger = logger
    this.#writing = writing
  }

  async put(blobs: readonly NewBlob[]): Promise<BlobLocation[]> {
    requireHashes(blobs)
    const { writer, space } = this.#requireWriting()
    const bytes = blobs.reduce((sum, blob) => sum + recordBytes(blob.bytes.length), 0)
    requireRoom(space, this.#putting + bytes)
    this.#putting += bytes
    try {
      return await writer.append(blobs)
    } finally {
      this.#putting -= bytes
    }
  }

  async read(location: BlobLocation, range?: ByteRange): Promise<Uint8Array> {
    this.#requireOpen()
    const at = parseLocation(location)
    if (!at) throw corrupt(location, 'this is no location in a pack')
    try {
      return await this.#folder.read(at.pack, (file) => readBlob(file, at, range))
    } catch (error) {
      if (error instanceof RangeError) throw error
      if (isAbsent(error)) throw corrupt(location, 'its pack does not exist', error)
      throw diskFailure(error, 'reading a blob')
    }
  }

  async remove(locations: readonly BlobLocation[]): Promise<void> {
    this.#requireWriting()
    const records = locations.map(parseLocation).filter((at) => at !== null)
    try {
      await this.#note(records)
    } catch (error) {
      throw diskFailure(error, 'noting removed blobs')
    }
  }

  async *list(): AsyncGenerator<ListedBlob> {
    this.#requireOpen()
    try {
      for (const pack of await this.#folder.packs()) {
        const state = await examine(this.#folder, pack, this.#writing?.tail.durableEnd(pack))
        for (const { at, writtenAt } of state?.live ?? []) yield { location: formatLocation(at), writtenAt }
      }
    } catch (error) {
      throw diskFailure(error, 'listing blobs')
    }
  }

  async compact(moved: Moved, isStopping: () => boolean = () => false): Promise<Compaction> {
    const parts = {
      ...this.#requireWriting(),
      folder: this.#folder,
      clock: this.#clock,
      logger: this.#logger,
      stopping: () => this.#closed || isStopping(),
      remove: (records: readonly PackLocation[]) => this.#note(records),
    }
    const run = this.#compacting.then(async () => {
      const { next, ...compaction } = await compactPacks(parts, moved, this.#nextToCompact)
      this.#nextToCompact = next
      return compaction
    })
    this.#compacting = run.catch(() => {})
    return run
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#compacting
    await this.#noting
    await this.#writing?.writer.close()
    await this.#folder.close()
  }

  #note(records: readonly PackLocation[]): Promise<void> {
    const run = this.#noting.then(async () => {
      const byPack = Map.groupBy(records, (at) => at.pack)
      for (const [pack, inPack] of byPack) await this.#noteIn(pack, inPack)
    })
    this.#noting = run.catch(() => {})
    return run
  }

  async #noteIn(pack: number, records: readonly PackLocation[]): Promise<void> {
    try {
      const { salt, offsets } = await this.#folder.read(pack, async (file) => {
        const valid: number[] = []
        for (const at of records) {
          // A location of another time must not remove the blob that is there now.
          const header = await readHeader(file, at).catch((error) => {
            if (!isFailure(error, 'corrupt')) throw error
            return null
          })
          if (header) valid.push(at.offset)
        }
        return { salt: await readSalt(file, (await file.stat()).size), offsets: valid }
      })
      if (salt && offsets.length > 0) await appendHoles(this.#folder, pack, salt, offsets, this.#clock.now())
    } catch (error) {
      if (!isAbsent(error)) throw error
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw new Failure('shuttingDown', 'the blob store is closed')
  }

  #requireWriting(): Writing {
    this.#requireOpen()
    if (!this.#writing) throw new Failure('configuration', 'these packs are read-only')
    this.#writing.tail.requireWritable()
    return this.#writing
  }
}
