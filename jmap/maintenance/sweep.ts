/**
 * The hourly sweep removes what expires within a day or fills the disk: uploads that nothing refers to, contents that no account refers to,
 * answers to requests with an Idempotency-Key, and holes in packs. It works in slices, each a short unit of work, so that nothing waits for
 * long. A sweep may be cut off anywhere; the next one goes on. What may wait for the night is in maintenance.ts.
 */
import { BLOB_KEEP_MS, SWEEP_SLICE, UPLOAD_LIFETIME_MS } from '../../server/base/limits.ts'
import type { LongRuns } from '../../server/base/long-runs.ts'
import { forgetKeys } from '../../storage/repos/delivery-memory.ts'
import { deleteExpiredSlots } from '../../storage/repos/idempotency.ts'
import { forgetStsPolicies } from '../../storage/repos/sts-policies.ts'
import type { Services } from '../type/context.ts'
import { compact, sweepContents, sweepReferences } from './blobs.ts'
import { eraseMailboxes } from './retention.ts'
import { sweepRows } from './sliced-rows.ts'

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
