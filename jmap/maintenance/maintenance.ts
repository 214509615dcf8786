/**
 * The nightly maintenance removes what is kept for days: deleted mailboxes, octets without a row, old rows of the change log, records
 * of webhooks and events. It takes long, so it runs at the times of the operator's schedule (server/workers). It works in slices, as
 * the sweep does.
 */
import { EVENT_LIFETIME_MS } from '../../server/base/delivery-limits.ts'
import { BLOB_KEEP_MS, CHANGE_LOG_LIFETIME_MS } from '../../server/base/limits.ts'
import type { LongRuns } from '../../server/base/long-runs.ts'
import { WEBHOOK_DELIVERY_LIFETIME_MS } from '../../server/base/webhook-limits.ts'
import { changeFact, findFact } from '../../storage/repos/installation.ts'
import type { Services } from '../type/context.ts'
import { sweepDeliveries } from '../webhooks/expired-deliveries.ts'
import { sweepStrays } from './blobs.ts'
import { trimLogs } from './change-log.ts'
import { sweepEvents } from './events.ts'
import { eraseMailboxes } from './retention.ts'

/** Numbers of removed objects. */
export interface MaintenanceReport {
  /** Deleted mailboxes whose retention has ended. */
  readonly mailboxes: number
  /** Octets in the blob store without a row. */
  readonly strays: number
  /** Accounts whose change log was shortened. */
  readonly trimmedAccounts: number
  /** Records of webhook deliveries. */
  readonly deliveries: number
  readonly events: number
}

type Needs = Pick<Services, 'store' | 'clock' | 'limits'> & { readonly longRuns: LongRuns }

/** Name of the stored fact: epoch ms of the last complete run. */
const MAINTAINED_AT = 'maintained_at'

export function maintain({ store, clock, limits, longRuns }: Needs): Promise<MaintenanceReport> {
  const now = clock.now()
  return longRuns.run('maintenance', async (isStopping) => {
    const report = {
      mailboxes: await eraseMailboxes(store, now - limits.mailboxRetentionMs, isStopping),
      strays: await sweepStrays(store, now - BLOB_KEEP_MS, isStopping),
      trimmedAccounts: await trimLogs(store, now - CHANGE_LOG_LIFETIME_MS, isStopping),
      deliveries: await sweepDeliveries(store, now - WEBHOOK_DELIVERY_LIFETIME_MS, isStopping),
      events: await sweepEvents(store, now - EVENT_LIFETIME_MS, isStopping),
    }
    // A run that was interrupted is repeated after the next start.
    if (!isStopping()) await store.write([], ({ sql }) => changeFact(sql, MAINTAINED_AT, String(now)))
    return report
  })
}

/** Epoch ms when the last complete maintenance began; null: there was none. */
export async function maintainedAt({ store }: Pick<Services, 'store'>): Promise<number | null> {
  const fact = await store.read((reader) => findFact(reader, MAINTAINED_AT))
  return fact === null ? null : Number(fact)
}
