/** What follows from a renewal that failed: the letters to the owner, what the domain says of it, and an event. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { appendEvent } from '../../events/append.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { Domain } from '../domain/domain.type.ts'
import { keepDomain } from '../domain/keep-domain.ts'
import { reviewLetters } from './letters.ts'
import type { LeasedOrder, Order } from './order.ts'

/** Inside a unit of work. @param isNews an event reports it */
export async function failRenewal(
  { ids }: Pick<Services, 'ids'>,
  unit: AccountUnit,
  { domain, name }: LeasedOrder,
  { expiresAt, reason }: Order,
  isNews: boolean,
): Promise<void> {
  await reviewLetters(unit, domain)
  const found = await findStored(unit, unit.account, Domain, domain)
  if (!found) return
  const { data } = found
  if (data.renewalError !== reason) await keepDomain(unit, domain, data, { ...data, renewalError: reason })
  if (!isNews) return
  const expires_at = new Date(expiresAt!).toISOString()
  const domain_id = ids.encode(Domain, unit.account, domain)
  await appendEvent(unit, 'domain.renewal_failed', { domain_id, name, expires_at, reason })
}
