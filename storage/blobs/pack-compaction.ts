/**
 * Frees the space of removed blobs. Nothing is lost, whenever the process ends: (1) live blobs are copied and synced, (2) `moved` commits
 * the row's new location, (3) the old record is noted as a hole, (4) a later run deletes a pack that has only holes. If the process ends
 * after 1 or 2, no row refers to one of the two copies, and the sweep removes it. Copies count as written now, so that a sweep between
 * 1 and 2 skips them.
 */
import type { Clock } from '../../server/base/clock.ts'
import { isFailure } from '../../server/base/errors.ts'
import {
  PACK_COMPACT_ROUND_PACKS,
  PACK_COMPACT_STEP_BYTES,
  PACK_MIN_LIVE_SHARE,
  PACK_RETIRED_KEEP_MS,
} from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Compaction, Moved, NewBlob } from '../blob-store.ts'
import { isAbsent } from './disk.ts'
import type { PackFolder } from './pack-folder.ts'
import { formatLocation, type PackLocation, recordBytes } from './pack-format.ts'
import { readHoles } from './pack-holes.ts'
import { readBlob, readHeader } from './pack-read.ts'
import { type PackRecord, type PackScan, scanPack } from './pack-scan.ts'
import type { PackTail } from './pack-tail.ts'
import type { PackWriter } from './pack-writer.ts'

export interface CompactionParts {
  readonly folder: PackFolder
  readonly tail: PackTail
  readonly writer: PackWriter
  readonly clock: Clock
  readonly logger: Logger
  /** Polled; true ends the run. */
  stopping(): boolean
  /** Notes records as holes. */
  remove(records: readonly PackLocation[]): Promise<void>
}

/** Compacts a few packs from `first` on, after the newest the oldest again. `next`: the first pack of the next run. */
export async function compactPacks(
  parts: CompactionParts,
  moved: Moved,
  first: number,
): Promise<Compaction & { readonly next: number }> {
  const { folder, tail } = parts
  await folder.removeStrayNotes()
  const packs = (await folder.packs()).filter((pack) => pack < tail.highest)
  const inTurn = [...packs.filter((pack) => pack >= first), ...packs.filter((pack) => pack < first)]
  const round = inTurn.slice(0, PACK_COMPACT_ROUND_PACKS)
  let freedBytes = 0
  const sparse: { pack: number; liveBytes: number }[] = []
  for (const pack of round) {
    if (parts.stopping()) break
    const found = await assess(parts, pack)
    freedBytes += found?.freedBytes ?? 0
    if (found?.isSparse) sparse.push({ pack, liveBytes: found.liveBytes })
  }
  // The packs with the least to copy go first.
  sparse.sort((a, b) => a.liveBytes - b.liveBytes)
  let movedBlobs = 0
  for (const { pack } of sparse) if (!parts.stopping()) movedBlobs += await rewrite(parts, pack, moved)
  return { freedBytes, movedBlobs, next: inTurn[PACK_COMPACT_ROUND_PACKS] ?? 0 }
}

/** Examines a pack, and deletes it if it has only old holes. */
async function assess({ folder, clock, logger }: CompactionParts, pack: number) {
  const state = await examine(folder, pack)
  if (!state) return null
  const liveBytes = state.live.reduce((sum, { at }) => sum + recordBytes(at.length), 0)
  const isSparse = state.live.length > 0 && liveBytes < PACK_MIN_LIVE_SHARE * state.scan.size
  let freedBytes = 0
  if (state.live.length === 0 && state.scan.damaged) {
    logger.warn({ pack }, 'a pack with damaged records is not deleted, although no blob in it is known to be in use')
  } else if (state.live.length === 0 && state.newestHole + PACK_RETIRED_KEEP_MS <= clock.now()) {
    await folder.remove(pack)
    freedBytes = state.scan.size
  }
  return { liveBytes, isSparse, freedBytes }
}

interface PackState {
  readonly scan: PackScan
  readonly live: readonly PackRecord[]
  /** Epoch milliseconds. */
  readonly newestHole: number
}

/** The records of a pack without its holes; null: the pack does not exist. */
export async function examine(folder: PackFolder, pack: number, until?: number): Promise<PackState | null> {
  try {
    const scan = await folder.read(pack, (file) => scanPack(file, pack, until))
    if (!scan.salt) return { scan, live: [], newestHole: 0 }
    const holes = await readHoles(folder, pack, scan.salt)
    const live = scan.records.filter(({ at }) => !holes.has(at.offset))
    let newestHole = 0
    for (const at of holes.values()) newestHole = Math.max(newestHole, at)
    return { scan, live, newestHole }
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

async function rewrite(parts: CompactionParts, pack: number, moved: Moved): Promise<number> {
  const live = (await examine(parts.folder, pack))?.live ?? []
  let count = 0
  let step: { at: PackLocation; blob: NewBlob }[] = []
  let bytes = 0
  for (const { at } of live) {
    if (parts.stopping()) break
    const blob = await readForCopy(parts, at)
    if (!blob) continue
    step.push({ at, blob })
    bytes += at.length
    if (bytes < PACK_COMPACT_STEP_BYTES) continue
    count += await moveStep(parts, step, moved)
    step = []
    bytes = 0
  }
  return count + (await moveStep(parts, step, moved))
}

/** null: the blob is damaged. It is neither copied nor noted as a hole, so that its pack stays and the rest of it can be recovered by hand. */
async function readForCopy(parts: CompactionParts, at: PackLocation): Promise<NewBlob | null> {
  try {
    return await parts.folder.read(at.pack, async (file) => {
      const { hash } = await readHeader(file, at)
      return { hash, bytes: await readBlob(file, at) }
    })
  } catch (error) {
    if (!isFailure(error, 'corrupt')) throw error
    parts.logger.error({ location: formatLocation(at) }, 'a pack is not compacted because of a damaged blob')
    return null
  }
}

async function moveStep(
  parts: CompactionParts,
  step: readonly { at: PackLocation; blob: NewBlob }[],
  moved: Moved,
): Promise<number> {
  const copies = await parts.writer.append(step.map(({ blob }) => blob))
  // Together, so that they share a commit.
  const outcomes = await Promise.allSettled(step.map(({ at }, index) => moved(formatLocation(at), copies[index]!)))
  const done = step.filter((_, index) => outcomes[index]!.status === 'fulfilled').map(({ at }) => at)
  await parts.remove(done)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return done.length
}
