/** The queue of organizations whose billing is due, for the worker that settles it (server/workers/billing.ts). */
import { randomUUID } from 'node:crypto'
import { claimBillingRows, nextBilling } from '../../storage/repos/billing.ts'
import { renewRows } from '../../storage/repos/renew-rows.ts'
import type { Services } from '../type/context.ts'

export interface BillingTask {
  readonly organization: number
  /** What is found with another lease is not stored. */
  readonly lease: string
}

export async function claimBilling(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<BillingTask[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimBillingRows(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map(({ organization }) => ({ organization, lease }))
}

/** Renews leases for `leaseMs` from now. */
export function renewBilling(
  { store }: Pick<Services, 'store'>,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'billing', leases, unit.now + leaseMs))
}

/** Epoch ms when the next organization may be claimed; null: none is due, or nobody bills. */
export function nextBillingTime({ store, billing }: Pick<Services, 'store' | 'billing'>): Promise<number | null> {
  return billing.kind === 'none' ? Promise.resolve(null) : store.read(nextBilling)
}
