/**
 * Takes away what nobody needs any more: uploads that nothing refers to, contents that no account refers to, octets in the blob
 * store that no row names, the oldest changes of the log, records of webhooks and events, and the room that all of it took. In slices,
 * each a short unit of work, so that nobody waits long; a sweep that is cut off anywhere has done no harm, and the next one goes on.
 */
import { EVENT_LIFETIME_MS } from '../../server/base/delivery-limits.ts'
import { BLOB_KEEP_MS, CHANGE_LOG_LIFETIME_MS, SWEEP_SLICE, UPLOAD_LIFETIME_MS } from '../../server/base/limits.ts'
import { WEBHOOK_DELIVERY_LIFETIME_MS } from '../../server/base/webhook-limits.ts'
import type { Compaction, Moved } from '../../storage/blob-store.ts'
import { trimChanges } from '../../storage/change-log.ts'
import type { Sql, Store } from '../../storage/ports.ts'
import { accountsAfter, hasChangesBefore, listAccounts } from '../../storage/repos/accounts.ts'
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
import { forgetKeys } from '../../storage/repos/delivery-memory.ts'
import { deleteEventsBefore } from '../../storage/repos/events.ts'
import { deleteExpiredSlots } from '../../storage/repos/idempotency.ts'
import { forgetStsPolicies } from '../../storage/repos/sts-policies.ts'
import { deleteDeliveriesBefore, hasDeliveriesBefore } from '../../storage/repos/webhook-delivery-query.ts'
import type { Services } from '../context.ts'
import { eraseMailboxes } from './retention.ts'

/** How many of each went. */
export interface SweepReport {
  /** Mailboxes that were deleted long enough ago. */
  readonly mailboxes: number
  readonly references: number
  readonly contents: number
  readonly strays: number
  /** Accounts whose change log was shortened. */
  readonly trimmedAccounts: number
  /** Records of what webhooks were told, events that nobody can be told any more, and what delivery need not remember any more. */
  readonly deliveries: number
  readonly events: number
  readonly memories: number
  /** Requests with an Idempotency-Key that is forgotten. */
  readonly answers: number
  /** MTA-STS policies that have run out. */
  readonly policies: number
  /** Blobs that were moved out of packs full of holes, and octets given back to the disk. */
  readonly movedBlobs: number
  readonly freedBytes: number
}

type Needs = Pick<Services, 'store' | 'clock' | 'limits'>

/** @param isStopping asked between slices */
export async function sweep({ store, clock, limits }: Needs, isStopping: () => boolean): Promise<SweepReport> {
  const now = clock.now()
  return {
    mailboxes: await eraseMailboxes(store, now - limits.mailboxRetentionMs, isStopping),
    references: await sweepReferences(store, now - UPLOAD_LIFETIME_MS, isStopping),
    contents: await sweepContents(store, now - BLOB_KEEP_MS, isStopping),
    strays: await sweepStrays(store, now - BLOB_KEEP_MS, isStopping),
    trimmedAccounts: await trimLogs(store, now - CHANGE_LOG_LIFETIME_MS, isStopping),
    deliveries: await sweepDeliveries(store, now - WEBHOOK_DELIVERY_LIFETIME_MS, isStopping),
    events: await sweepRows(store, (sql) => deleteEventsBefore(sql, now - EVENT_LIFETIME_MS, SWEEP_SLICE), isStopping),
    answers: await sweepRows(store, (sql) => deleteExpiredSlots(sql, now, SWEEP_SLICE), isStopping),
    memories: await sweepRows(store, (sql) => forgetKeys(sql, now, SWEEP_SLICE), isStopping),
    policies: await sweepRows(store, (sql) => forgetStsPolicies(sql, now, SWEEP_SLICE), isStopping),
    ...(await compact(store, isStopping)),
  }
}

/** RFC 8620 6: what was uploaded, and the blobs of emails that are gone; never sooner than an hour after the upload. */
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

/** Contents that no account refers to. Their rows go first: octets without a row are a stray, a row without octets is a loss. */
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

/** Octets that were put twice, or before a crash. Those of units of work under way are young. */
async function sweepStrays(store: Store, before: number, isStopping: () => boolean): Promise<number> {
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

/** RFC 8620 5.2: changes can be told for at least 30 days. */
async function trimLogs(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  let after: number | undefined = 0
  while (after !== undefined && !isStopping()) {
    const from: number = after
    const accounts = await store.read((reader) => accountsAfter(reader, from, SWEEP_SLICE))
    for (const account of accounts) {
      if (isStopping()) return count
      if (!(await store.read((reader) => hasChangesBefore(reader, account, before)))) continue
      await store.write([account], (work) => trimChanges(work, account, before))
      count++
    }
    after = accounts.length < SWEEP_SLICE ? undefined : accounts.at(-1)
  }
  return count
}

async function sweepDeliveries(store: Store, before: number, isStopping: () => boolean): Promise<number> {
  let count = 0
  for (const { id } of await store.read((reader) => listAccounts(reader, { kind: 'organization' }))) {
    let gone = SWEEP_SLICE
    while (gone === SWEEP_SLICE && !isStopping()) {
      if (!(await store.read((reader) => hasDeliveriesBefore(reader, id, before)))) break
      gone = await store.write([id], (work) => deleteDeliveriesBefore(work.account(id), before, SWEEP_SLICE))
      count += gone
    }
  }
  return count
}

/** @param removeSlice how many went, at most SWEEP_SLICE */
async function sweepRows(
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

/** After the rest, since that is what leaves room behind. */
async function compact(store: Store, isStopping: () => boolean): Promise<Compaction> {
  if (!store.blobs.compact || isStopping()) return { movedBlobs: 0, freedBytes: 0 }
  const moved: Moved = (from, to) => store.write([], (work) => moveContent(work.sql, from, to))
  return store.blobs.compact(moved, isStopping)
}
