/**
 * The hourly sweep removes what expires within a day or fills the disk: unreferenced uploads, contents that no account refers to,
 * responses to requests with an Idempotency-Key, and holes in packs. It works in slices, each a short unit of work, so that no other
 * write waits for long. A sweep may be interrupted anywhere; the next one continues. The nightly work is in maintenance.ts.
 */
import { BLOB_KEEP_MS, SWEEP_SLICE, UPLOAD_LIFETIME_MS } from '../../server/base/limits.ts'
import type { LongRuns } from '../../server/base/long-runs.ts'
import { forgetKeys } from '../../storage/repos/delivery-memory.ts'
import { deleteExpiredSlots } from '../../storage/repos/idempotency.ts'
import { forgetMails, forgetSignUps } from '../../storage/repos/sign-ups.ts'
import { forgetStsPolicies } from '../../storage/repos/sts-policies.ts'
import type { Services } from '../type/context.ts'
import { compact, sweepContents, sweepReferences } from './blobs.ts'
import { eraseMailboxes } from './retention.ts'
import { sweepRows } from './sliced-rows.ts'

/** Numbers of removed objects. */
export interface SweepReport {
  /** Deleted mailboxes, if the retention time is 0 (decision D8). Otherwise the maintenance erases them. */
  readonly mailboxes: number
  readonly references: number
  readonly contents: number
  /** Responses to requests with an Idempotency-Key. */
  readonly answers: number
  /** Entries of the delivery memory, such as senders that got an automatic reply. */
  readonly memories: number
  /** MTA-STS policies that have expired. */
  readonly policies: number
  /** Sign-ups that were not confirmed, and counts of mails about sign-ups. */
  readonly signUps: number
  /** Blobs that were moved out of packs with holes, and octets freed on the disk. */
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
    signUps:
      (await sweepRows(store, (sql) => forgetSignUps(sql, now, SWEEP_SLICE), isStopping)) +
      (await sweepRows(store, (sql) => forgetMails(sql, now, SWEEP_SLICE), isStopping)),
    ...(await compact(store, isStopping)),
  }))
}
