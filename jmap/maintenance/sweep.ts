/**
 * Takes away what nobody needs any more: uploads that nothing refers to, contents that no account refers to, octets in the blob
 * store that no row names, the oldest changes of the log, records of webhooks and events, and the room that all of it took. In slices,
 * each a short unit of work, so that nobody waits long; a sweep that is cut off anywhere has done no harm, and the next one goes on.
 */
import { EVENT_LIFETIME_MS } from '../../server/base/delivery-limits.ts'
import { BLOB_KEEP_MS, CHANGE_LOG_LIFETIME_MS, SWEEP_SLICE, UPLOAD_LIFETIME_MS } from '../../server/base/limits.ts'
import { WEBHOOK_DELIVERY_LIFETIME_MS } from '../../server/base/webhook-limits.ts'
import type { Sql, Store } from '../../storage/ports.ts'
import { forgetKeys } from '../../storage/repos/delivery-memory.ts'
import { deleteEventsBefore } from '../../storage/repos/events.ts'
import { deleteExpiredSlots } from '../../storage/repos/idempotency.ts'
import { forgetStsPolicies } from '../../storage/repos/sts-policies.ts'
import type { Services } from '../context.ts'
import { sweepDeliveries } from '../service/webhook/expired-deliveries.ts'
import { compact, sweepContents, sweepReferences, sweepStrays } from './blobs.ts'
import { trimLogs } from './change-log.ts'
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
