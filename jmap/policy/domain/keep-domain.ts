/** Stores a domain after a check, and appends the event about it. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findDomainName, saveDomainName } from '../../../storage/repos/directory.ts'
import { appendEvent } from '../../events/append.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { updateStored } from '../../type/object-store.ts'
import { Domain, type StoredDomain } from './domain.type.ts'
import type { DomainEvent } from './state.ts'

const SEEN = [
  'status',
  'dnsProvider',
  'mxVerified',
  'spfVerified',
  'dkimVerified',
  'dmarcVerified',
  'outboundVerified',
  'dmarcManagedExternally',
  'verifiedAt',
  'dkim',
  'expiresAt',
  'autoRenew',
  'renewalError',
] as const

/** Also writes the row of the directory and the change that clients see. */
export async function keepDomain(
  unit: AccountUnit,
  number: number,
  before: StoredDomain,
  next: StoredDomain,
): Promise<void> {
  const changed: string[] = SEEN.filter((name) => before[name] !== next[name])
  if (changed.length > 0) changed.push('updatedAt')
  const data = { ...next, ...(changed.length > 0 && { updatedAt: formatUTCDate(unit.now) }) }
  await updateStored(unit, Domain, { id: number, data }, [...changed, 'dnsRecords'])
  if (before.status === next.status) return
  const claims = await findDomainName(unit, next.name)
  const own = claims.find((claim) => claim.account === unit.account)
  await saveDomainName(unit.sql, {
    name: next.name,
    account: unit.account,
    object: number,
    status: next.status,
    catch_all: own?.catch_all ?? null,
  })
}

/** In the terms of the contract, without members that it lacks (decision E11). */
export async function appendDomainEvent(
  { ids }: Services,
  unit: AccountUnit,
  number: number,
  event: DomainEvent,
  domain: StoredDomain,
): Promise<void> {
  const domain_id = ids.encode(Domain, unit.account, number)
  const at = new Date(unit.now).toISOString()
  if (event === 'domain.verified') {
    await appendEvent(unit, event, { domain_id, verified_at: at })
    return
  }
  const { mxVerified: mx, spfVerified: spf, dkimVerified: dkim, dmarcVerified: dmarc } = domain
  const records = { mx, spf, dkim, dmarc, outbound: domain.outboundVerified }
  await appendEvent(unit, event, { domain_id, records, checked_at: at })
}
