/** Reads a domain's zone, plans what is written, and writes it. What is written here is recorded before, so that it can be removed. */
import { ZONE_HELD_MAX, ZONE_HELD_MAX_CHARS } from '../../../server/base/registration-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import type { Services } from '../../type/context.ts'
import type { DnsZone, HeldRecord } from '../../type/dns-provider-port.ts'
import { findStored, updateStored } from '../../type/object-store.ts'
import type { ProviderAnswer } from '../../type/provider-answer.ts'
import { Domain, type StoredDomain } from '../domain/domain.type.ts'
import { recordsOf } from '../domain/stored.ts'
import { isEmptyPlan, planRecords, type RecordPlan, type WrittenRecord, wantedRecords } from './plan-records.ts'

interface Place {
  readonly account: number
  readonly domain: number
}

/** A zone of a customer may have as many records at one name as fit into an answer; each would be compared, and shown as a conflict. */
async function readHeld(zone: DnsZone, names: readonly string[]): Promise<ProviderAnswer<readonly HeldRecord[]>> {
  const held = await zone.read([...new Set(names)])
  if (held.kind !== 'done') return held
  const octets = held.value.reduce((sum, { value }) => sum + value.length, 0)
  if (held.value.length <= ZONE_HELD_MAX && octets <= ZONE_HELD_MAX_CHARS) return held
  return { kind: 'refused', reason: 'the zone has too many records at the names of the domain' }
}

/** What would be written now. */
export async function planFor(
  { hosting }: Pick<Services, 'hosting'>,
  zone: DnsZone,
  domain: StoredDomain,
): Promise<ProviderAnswer<RecordPlan>> {
  const expected = recordsOf(domain, hosting)
  const written = domain.dnsWritten ?? []
  const names = [...wantedRecords(expected).map(({ host }) => host), ...written.map(({ name }) => name)]
  const held = await readHeld(zone, names)
  if (held.kind !== 'done') return held
  const options = { ...hosting, wantsOwnDmarc: domain.wantsOwnDmarc ?? false }
  return { kind: 'done', value: planRecords(expected, held.value, written, options) }
}

/**
 * @param also in the unit of work that records the result
 * @returns what was written; null: the domain was destroyed meanwhile
 */
export async function writeRecords(
  services: Services,
  zone: DnsZone,
  place: Place,
  also: (unit: AccountUnit, domain: StoredDomain) => Promise<void> = async () => {},
): Promise<ProviderAnswer<RecordPlan | null>> {
  const { account, domain: number } = place
  const found = await services.store.read((reader) => findStored(reader, account, Domain, number))
  if (!found) return { kind: 'done', value: null }
  const planned = await planFor(services, zone, found.data)
  if (planned.kind !== 'done') return planned
  const plan = planned.value
  if (!isEmptyPlan(plan)) {
    // What may be written from now on, and what may not be removed yet.
    const both = union(plan.written, found.data.dnsWritten ?? [])
    if (!(await keepWritten(services, place, both))) return { kind: 'done', value: null }
    const changed = await zone.change(plan)
    if (changed.kind !== 'done') return changed
  }
  const isThere = await keepWritten(services, place, plan.written, also)
  return { kind: 'done', value: isThere ? plan : null }
}

/** Removes what was written here from the zone of a domain that is gone. */
export async function removeRecords(
  { hosting }: Pick<Services, 'hosting'>,
  zone: DnsZone,
  written: readonly WrittenRecord[],
): Promise<ProviderAnswer<null>> {
  const held = await readHeld(
    zone,
    written.map(({ name }) => name),
  )
  if (held.kind !== 'done') return held
  const plan = planRecords([], held.value, written, { ...hosting, wantsOwnDmarc: false })
  return isEmptyPlan(plan) ? { kind: 'done', value: null } : zone.change(plan)
}

function union(a: readonly WrittenRecord[], b: readonly WrittenRecord[]): WrittenRecord[] {
  const textOf = ({ name, type, value, priority = 0 }: WrittenRecord) => JSON.stringify([name, type, value, priority])
  return [...new Map([...b, ...a].map((record) => [textOf(record), record])).values()]
}

/** @returns false: the domain is gone */
function keepWritten(
  { store }: Pick<Services, 'store'>,
  { account, domain: number }: Place,
  written: readonly WrittenRecord[],
  also: (unit: AccountUnit, domain: StoredDomain) => Promise<void> = async () => {},
): Promise<boolean> {
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const found = await findStored(unit, account, Domain, number)
    if (!found) return false
    const data = { ...found.data, dnsWritten: written }
    await updateStored(unit, Domain, { id: number, data }, null)
    await also(unit, data)
    return true
  })
}
