/** The queue of domain checks, for the worker that makes them (server/workers/domain-checks). */
import { randomUUID } from 'node:crypto'
import { claimDueChecks, nextCheckAt } from '../../../storage/repos/domain-checks.ts'
import { renewRows } from '../../../storage/repos/renew-rows.ts'
import type { Services } from '../../type/context.ts'
import { checkDomain } from './check.ts'

/** A check that is due, leased to a worker. */
export interface DueCheck {
  readonly account: number
  /** Object number of the Domain. */
  readonly domain: number
  readonly lease: string
}

export async function claimChecks(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<DueCheck[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimDueChecks(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map(({ account, domain }) => ({ account, domain, lease }))
}

/** Renews leases for `leaseMs` from now. */
export function renewChecks(
  { store }: Pick<Services, 'store'>,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'domain_check', leases, unit.now + leaseMs))
}

/** Queries DNS and stores the result. No effect if another worker has the check. */
export async function runCheck(services: Services, check: DueCheck): Promise<void> {
  await checkDomain(services, { ...check, isManual: false })
}

/** Epoch ms when the next check may be claimed; null: there are no domains. */
export function nextCheckTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextCheckAt)
}
