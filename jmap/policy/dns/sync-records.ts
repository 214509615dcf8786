/**
 * Keeps the records of a domain as they should be after its keys or credentials have changed, and removes what was written here once the
 * domain is gone. A row of the queue of work, of the kind `records`.
 */
import { WORK_RETRY_MS } from '../../../server/base/registration-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { scheduleCheck } from '../../../storage/repos/domain-checks.ts'
import { deleteWork, findWork, replaceWork, updateWork, type WorkRow } from '../../../storage/repos/domain-works.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import type { ProviderAnswer } from '../../type/provider-answer.ts'
import { Domain, type StoredDomain } from '../domain/domain.type.ts'
import { hasZone, zoneOf } from './access.ts'
import type { WrittenRecord } from './plan-records.ts'
import { removeRecords, writeRecords } from './write-records.ts'

/** What is left of a domain that is gone. */
interface Leaving extends Pick<StoredDomain, 'name' | 'dnsAccess' | 'managedBy'> {
  readonly written: readonly WrittenRecord[]
}

/** Attempts at removing records: after a day the provider is gone, or the credentials are. */
const REMOVALS_MAX = 30

/** Inside a unit of work: the records are written soon. No effect without a provider. */
export async function planSync(unit: AccountUnit, number: number, domain: StoredDomain): Promise<void> {
  // A domain that is being registered gets its records by a step of its own.
  if (!hasZone(domain) || ['registering', 'registration_failed'].includes(domain.status)) return
  const { name } = domain
  await replaceWork(unit, { domain: number, kind: 'records', name, step: 'write', data: '{}', due_at: unit.now })
  unit.notify('Domain')
}

/** Inside the unit of work that destroys the domain: what was written here is removed (decision D7). */
export async function planRemoval(unit: AccountUnit, number: number, domain: StoredDomain): Promise<void> {
  const { name, dnsAccess = null, managedBy, dnsWritten: written = [] } = domain
  if (!hasZone(domain) || written.length === 0) {
    await deleteWork(unit, number, 'records')
    return
  }
  const leaving: Leaving = { name, dnsAccess, managedBy, written }
  const data = JSON.stringify(leaving)
  await replaceWork(unit, { domain: number, kind: 'records', name, step: 'remove', data, due_at: unit.now })
}

export async function syncRecords(services: Services, row: WorkRow): Promise<void> {
  const outcome = row.step === 'remove' ? await remove(services, row) : await write(services, row)
  const isDone = outcome.kind === 'done'
  if (!isDone) {
    const { account, name } = row
    services.logger.warn({ account, domain: name, reason: outcome.reason }, 'records were not written')
  }
  await services.store.write([row.account], async (work) => {
    const unit = work.account(row.account)
    const now = await findWork(unit, row.account, row.domain, row.kind)
    if (now?.lease !== row.lease) return
    const isOver = isDone || (row.step === 'remove' && row.attempts >= REMOVALS_MAX)
    if (isOver) await deleteWork(unit, row.domain, row.kind)
    else {
      const due_at = unit.now + (WORK_RETRY_MS[row.attempts] ?? WORK_RETRY_MS.at(-1)!)
      await updateWork(unit, row.domain, row.kind, { due_at, attempts: row.attempts + 1, lease: null, lease_until: 0 })
    }
  })
}

async function write(services: Services, { account, domain }: WorkRow): Promise<ProviderAnswer<unknown>> {
  const found = await services.store.read((reader) => findStored(reader, account, Domain, domain))
  const zone = found && zoneOf(services, { account, domain }, found.data)
  if (!zone) return { kind: 'done', value: null }
  return writeRecords(services, zone, { account, domain }, (unit) =>
    scheduleCheck(unit.sql, { account, domain, due_at: unit.now }),
  )
}

async function remove(services: Services, { account, domain, data }: WorkRow): Promise<ProviderAnswer<unknown>> {
  const leaving = JSON.parse(data) as Leaving
  const zone = zoneOf(services, { account, domain }, leaving)
  return zone ? removeRecords(services, zone, leaving.written) : { kind: 'done', value: null }
}
