/** The queues of what domains need at registrars and DNS providers, for the workers that do it (server/workers/domain-work.ts). */
import { randomUUID } from 'node:crypto'
import { claimWork, claimWorkInTurn, findWork, nextWorkAt, type WorkKind } from '../../../storage/repos/domain-works.ts'
import { renewRows } from '../../../storage/repos/renew-rows.ts'
import type { Services } from '../../type/context.ts'
import { syncRecords } from '../dns/sync-records.ts'
import { payOrder } from './charge.ts'
import { type LeasedOrder, later, leasedOrder, type Step, type Task } from './order.ts'
import { recordsStep } from './records-step.ts'
import { holdStep, renewChargeStep, renewRefundStep, renewStep } from './renewal.ts'
import { confirmStep, type OrderStep, refundStep, registerStep, settleStep, zoneStep } from './steps.ts'
import { extendRefundStep, extendStep, unmetStep } from './unmet.ts'

const STEPS: { readonly [S in Step]: OrderStep | null } = {
  charge: (services, _registrar, task) => payOrder(services, task),
  register: registerStep,
  confirm: confirmStep,
  settle: settleStep,
  zone: zoneStep,
  records: recordsStep,
  extend: extendStep,
  hold: holdStep,
  renewCharge: renewChargeStep,
  renew: renewStep,
  renewRefund: renewRefundStep,
  extendRefund: extendRefundStep,
  unmet: unmetStep,
  refund: refundStep,
  failed: null,
  lapsed: null,
}

type Stored = Pick<Services, 'store'>

/** How rows of a kind are claimed, and when the next one may be. */
export function domainQueue(kind: WorkKind) {
  // Endpoints of customers may be slow on purpose; the registrar and the letters are the operator's.
  const claimOf = kind === 'records' ? claimWorkInTurn : claimWork
  return {
    async claim({ store }: Stored, owner: string, limit: number, leaseMs: number): Promise<Task[]> {
      const lease = `${owner}:${randomUUID()}`
      const rows = await store.write([], (unit) =>
        claimOf(unit.sql, kind, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
      )
      return rows.map(({ account, domain }) => ({ account, domain, kind, lease }))
    },
    /** Epoch ms; null: none is due. */
    nextAt: ({ store }: Stored): Promise<number | null> => store.read((reader) => nextWorkAt(reader, kind)),
  }
}

/** Renews leases for `leaseMs` from now. */
export function renewDomainWork({ store }: Stored, leases: readonly string[], leaseMs: number): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'domain_work', leases, unit.now + leaseMs))
}

/** One step. No effect if another worker has the lease. */
export async function runDomainWork(services: Services, task: Task): Promise<void> {
  const row = await services.store.read((reader) => findWork(reader, task.account, task.domain, task.kind))
  if (row?.lease !== task.lease) return
  if (row.kind === 'records') await syncRecords(services, row)
  else await runOrder(services, leasedOrder(row))
}

async function runOrder(services: Services, task: LeasedOrder): Promise<void> {
  const { registrar, logger } = services
  const step = STEPS[task.step]
  if (registrar && step) await step(services, registrar, task)
  else {
    logger.error({ domain: task.name, step: task.step }, 'a registration waits, because the server has no registrar')
    await later(services, task, Number.POSITIVE_INFINITY)
  }
}
