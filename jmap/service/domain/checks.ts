/** The queue of domain checks, for the worker that makes them (server/workers/domain-checks): claims, checks, and when the next is due. */
import { randomUUID } from 'node:crypto'
import { claimDueChecks, nextCheckAt } from '../../../storage/repos/domain-checks.ts'
import { renewRows } from '../../../storage/repos/renew-rows.ts'
import type { Services } from '../../context.ts'
import { checkDomain } from './check.ts'

/** A check that is due, leased to a worker. */
export interface DueCheck {
  readonly account: number
  /** Object number of the Domain. */
  readonly domain: number
  readonly lease: string
}

export interface DomainChecks {
  claim(owner: string, limit: number, leaseMs: number): Promise<DueCheck[]>
  /** Makes leases last `leaseMs` from now. */
  renew(leases: readonly string[], leaseMs: number): Promise<void>
  /** Asks DNS and keeps what it says. Nothing happens when another worker has the check by now. */
  run(check: DueCheck): Promise<void>
  /** Epoch ms when the next check may be claimed; null: there are no domains. */
  nextAt(): Promise<number | null>
}

export class LocalDomainChecks implements DomainChecks {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  async claim(owner: string, limit: number, leaseMs: number): Promise<DueCheck[]> {
    const lease = `${owner}:${randomUUID()}`
    const rows = await this.#services.store.write([], (unit) =>
      claimDueChecks(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
    )
    return rows.map(({ account, domain }) => ({ account, domain, lease }))
  }

  renew(leases: readonly string[], leaseMs: number): Promise<void> {
    return this.#services.store.write([], (unit) => renewRows(unit.sql, 'domain_check', leases, unit.now + leaseMs))
  }

  async run(check: DueCheck): Promise<void> {
    await checkDomain(this.#services, { ...check, isManual: false })
  }

  nextAt(): Promise<number | null> {
    return this.#services.store.read(nextCheckAt)
  }
}
