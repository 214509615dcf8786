/**
 * The hourly sweep removes what expires within a day or fills the disk: uploads that nothing refers to, contents that no account refers to,
 * answers to requests with an Idempotency-Key, and holes in packs. It works in slices, each a short unit of work, so that nothing waits for
 * long. A sweep may be cut off anywhere; the next one goes on. What may wait for the night is in maintenance.ts.
 */
import { BLOB_KEEP_MS, SWEEP_SLICE, UPLOAD_LIFETIME_MS } from '../../server/base/limits.ts'
import type { Compaction, Moved } from '../../storage/blob-store.ts'
import type { Sql, Store } from '../../storage/ports.ts'
import {
  contentsAfter,
  deleteUnusedContents,
  deleteUnusedReferences,
  FIRST_HASH,
  FIRST_REFERENCE,
  moveContent,
  type ReferencePlace,
  referencesAfter,
} from '../../storage/repos/blob-sweep.ts'
import { forgetKeys } from '../../storage/repos/delivery-memory.ts'
import { deleteExpiredSlots } from '../../storage/repos/idempotency.ts'
import { forgetStsPolicies } from '../../storage/repos/sts-policies.ts'
import type { Services } from '../context.ts'
import type { LongRuns } from '../long-runs.ts'
import { eraseMailboxes } from './retention.ts'

/** How many of each were removed. */
export interface SweepReport {
  /** Deleted mailboxes, if they are not kept at all (decision D8). Those that are kept for a while are erased by the maintenance. */
  readonly mailboxes: number
  readonly references: number
  readonly contents: number
  /** Requests with an Idempotency-Key. */
  readonly answers: number
  /** What delivery remembers for a while, such as senders that got an automatic reply. */
  readonly memories: number
  /** MTA-STS policies that have expired. */
  readonly policies: number
  /** Blobs that were moved out of packs full of holes, and octets given back to the disk. */
  readonly movedBlobs: number
  readonly freedBytes: number
}

type Needs = Pick<Services, 'store' | 'clock' | 'limits'> & { readonly longRuns: LongRuns }

export function sweep({ store, clock, limits, longRuns }: Needs): Promise<SweepReport> {
  const now = clock.now()
  return longRuns.run('sweep', async (isStopping) => ({
    mailboxes: limits.mailboxRetentionMs === 0 ? await eraseMailboxes(store, now, isStopping) : 0,
    references: await sweepReferences(store, now - UPLOAD_LIFETIME_MS, isStopping),
    contents: await sweepContents(store, now - BLOB_KEEP_MS, isStopping),
    answers: await sweepRows(store, (sql) => deleteExpiredSlots(sql, now, SWEEP_SLICE), isStopping),
    memories: await sweepRows(store, (sql) => forgetKeys(sql, now, SWEEP_SLICE), isStopping),
    policies: await sweepRows(store, (sql) => forgetStsPolicies(sql, now, SWEEP_SLICE), isStopping),
    ...(await compact(store, isStopping)),
  }))
}

/** RFC 8620 6: uploads, and the blobs of emails that are gone; never sooner than an hour after the upload. */
async function sweepReferences(store: Store, before: number, isStopping: () => boolean): Promise<number> {
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

/** Contents that no account refers to. Their rows are deleted first: octets without a row are a stray, a row without octets is a loss. */
async function sweepContents(store: Store, before: number, isStopping: () => boolean): Promise<number> {
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

/** @param removeSlice deletes at most SWEEP_SLICE rows and resolves with their number */
export async function sweepRows(
  store: Store,
  removeSlice: (sql: Sql) => Promise<number>,
  isStopping: () => boolean,
): Promise<number> {
  let count = 0
  while (!isStopping()) {
    const gone = await store.write([], (work) => removeSlice(work.sql))
    count += gone
    if (gone < SWEEP_SLICE) break
  }
  return count
}

/** Comes last, because the rest leaves the holes. */
async function compact(store: Store, isStopping: () => boolean): Promise<Compaction> {
  if (!store.blobs.compact || isStopping()) return { movedBlobs: 0, freedBytes: 0 }
  const moved: Moved = (from, to) => store.write([], (work) => moveContent(work.sql, from, to))
  return store.blobs.compact(moved, isStopping)
}
