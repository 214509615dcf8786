/** Writes the records of a bought domain, which is pending from then on, until a check finds them. */
import { scheduleCheck } from '../../../storage/repos/domain-checks.ts'
import { findStored } from '../../type/object-store.ts'
import { zoneOf } from '../dns/access.ts'
import { writeRecords } from '../dns/write-records.ts'
import { Domain } from '../domain/domain.type.ts'
import { keepDomain } from '../domain/keep-domain.ts'
import { record } from './order.ts'
import { notKnown, type OrderStep } from './steps.ts'

export const recordsStep: OrderStep = async (services, registrar, task) => {
  const { account, domain: number, name, order } = task
  const found = await services.store.read((reader) => findStored(reader, account, Domain, number))
  const zone = (found && zoneOf(services, task, found.data)) ?? registrar.zone(name)
  const written = await writeRecords(services, zone, task)
  if (written.kind !== 'done') return notKnown(services, task, written)
  const next = { step: order.years > 1 ? 'extend' : 'hold', order } as const
  return record(services, task, next, async (unit) => {
    const now = await findStored(unit, account, Domain, number)
    if (!now) return
    const { data } = now
    if (data.status === 'registering') await keepDomain(unit, number, data, { ...data, status: 'pending' })
    await scheduleCheck(unit.sql, { account, domain: number, due_at: unit.now })
  })
}
