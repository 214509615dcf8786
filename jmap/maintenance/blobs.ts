/** Deletes unused blobs: references that nothing uses, contents that no account refers to, octets without a row, and holes in packs. */
import { SWEEP_SLICE } from '../../server/base/limits.ts'
import type { Compaction, Moved } from '../../storage/blob-store.ts'
import type { Store } from '../../storage/ports.ts'
import {
  contentsAfter,
  deleteUnusedContents,
  deleteUnusedReferences,
  FIRST_HASH,
  FIRST_REFERENCE,
  knownLocations,
  moveContent,
  type ReferencePlace,
  referencesAfter,
} from '../../storage/repos/blob-sweep.ts'

/** RFC 8620 6: uploads, and blobs of destroyed emails, at the earliest an hour after the upload. */
export async function sweepReferences(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  let place: ReferencePlace | undefined = FIRST_REFERENCE
  while (place && !isStopping()) {
    const after: ReferencePlace = place
    const slice = await store.read((reader) => referencesAfter(reader, after, SWEEP_SLICE))
    const unused = slice.filter(({ used, uploadedAt }) => !used && uploadedAt < before)
    for (const [account, references] of Map.groupBy(unused, (reference) => reference.account)) {
      const ids = references.map(({ id }) => id)
      count += await store.write([account], (work) => deleteUnusedReferences(work.account(account), ids, before))
    }
    place = slice.length < SWEEP_SLICE ? undefined : slice.at(-1)
  }
  return count
}

/**
 * Contents that no account refers to. Their rows are deleted first: octets without a row are swept later, but a row without octets
 * would be a loss.
 */
export async function sweepContents(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  let place: Uint8Array | undefined = FIRST_HASH
  while (place && !isStopping()) {
    const after: Uint8Array = place
    const slice = await store.read((reader) => contentsAfter(reader, after, SWEEP_SLICE))
    const unused = slice.filter(({ used, createdAt }) => !used && createdAt < before).map(({ hash }) => hash)
    if (unused.length > 0) {
      const gone = await store.write([], (work) => deleteUnusedContents(work.sql, unused, before))
      count += gone.count
      if (gone.locations.length > 0) await store.blobs.remove(gone.locations)
    }
    place = slice.length < SWEEP_SLICE ? undefined : slice.at(-1)?.hash
  }
  return count
}

/** Octets that were written twice, or before a crash. Octets of units of work that are under way are younger than `before`. */
export async function sweepStrays(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  let batch: string[] = []
  const flush = async () => {
    const known = await store.read((reader) => knownLocations(reader, batch))
    const strays = batch.filter((location) => !known.has(location))
    batch = []
    if (strays.length > 0) await store.blobs.remove(strays)
    count += strays.length
  }
  for await (const { location, writtenAt } of store.blobs.list()) {
    if (isStopping()) return count
    if (writtenAt < before) batch.push(location)
    if (batch.length >= SWEEP_SLICE) await flush()
  }
  if (batch.length > 0) await flush()
  return count
}

/** Runs last in a sweep, because the other steps leave the holes. */
export async function compact(store: Store, isStopping: () => boolean): Promise<Compaction> {
  if (!store.blobs.compact || isStopping()) return { movedBlobs: 0, freedBytes: 0 }
  const moved: Moved = (from, to) => store.write([], (work) => moveContent(work.sql, from, to))
  return store.blobs.compact(moved, isStopping)
}
