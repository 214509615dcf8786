/**
 * The nightly maintenance removes what is kept for days: mailboxes that were deleted, octets that no row names, old changes of the log,
 * records of webhooks and events. Going through all of it takes long, so it runs when the operator's schedule says (server/workers). It works
 * in slices as the sweep does.
 */
import { EVENT_LIFETIME_MS } from '../../server/base/delivery-limits.ts'
import { BLOB_KEEP_MS, CHANGE_LOG_LIFETIME_MS, SWEEP_SLICE } from '../../server/base/limits.ts'
import { WEBHOOK_DELIVERY_LIFETIME_MS } from '../../server/base/webhook-limits.ts'
import { trimChanges } from '../../storage/change-log.ts'
import type { Store } from '../../storage/ports.ts'
import { accountsAfter, hasChangesBefore, listAccounts } from '../../storage/repos/accounts.ts'
import { knownLocations } from '../../storage/repos/blob-sweep.ts'
import { deleteEventsBefore } from '../../storage/repos/events.ts'
import { changeFact, findFact } from '../../storage/repos/installation.ts'
import { deleteDeliveriesBefore, hasDeliveriesBefore } from '../../storage/repos/webhook-delivery-query.ts'
import type { Services } from '../context.ts'
import type { LongRuns } from '../long-runs.ts'
import { eraseMailboxes } from './retention.ts'
import { sweepRows } from './sweep.ts'

/** How many of each were removed. */
export interface MaintenanceReport {
  /** Mailboxes that were deleted long enough ago. */
  readonly mailboxes: number
  /** Octets in the blob store that no row names. */
  readonly strays: number
  /** Accounts whose change log was shortened. */
  readonly trimmedAccounts: number
  /** Records of what was posted to webhooks. */
  readonly deliveries: number
  readonly events: number
}

type Needs = Pick<Services, 'store' | 'clock' | 'limits'> & { readonly longRuns: LongRuns }

/** Name of the installation's fact: epoch ms of the last complete run. */
const MAINTAINED_AT = 'maintained_at'

export function maintain({ store, clock, limits, longRuns }: Needs): Promise<MaintenanceReport> {
  const now = clock.now()
  return longRuns.run('maintenance', async (isStopping) => {
    const report = {
      mailboxes: await eraseMailboxes(store, now - limits.mailboxRetentionMs, isStopping),
      strays: await sweepStrays(store, now - BLOB_KEEP_MS, isStopping),
      trimmedAccounts: await trimLogs(store, now - CHANGE_LOG_LIFETIME_MS, isStopping),
      deliveries: await sweepDeliveries(store, now - WEBHOOK_DELIVERY_LIFETIME_MS, isStopping),
      events: await sweepRows(
        store,
        (sql) => deleteEventsBefore(sql, now - EVENT_LIFETIME_MS, SWEEP_SLICE),
        isStopping,
      ),
    }
    // A run that was cut off is repeated after the next start.
    if (!isStopping()) await store.write([], ({ sql }) => changeFact(sql, MAINTAINED_AT, String(now)))
    return report
  })
}

/** Epoch ms when the last complete maintenance began; null: there was none. */
export async function maintainedAt({ store }: Pick<Services, 'store'>): Promise<number | null> {
  const fact = await store.read((reader) => findFact(reader, MAINTAINED_AT))
  return fact === null ? null : Number(fact)
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
