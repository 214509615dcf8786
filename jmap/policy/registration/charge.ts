/** The payment of an order, and the domain that follows from it. A request makes it; the worker completes it after a crash. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { saveDomainName } from '../../../storage/repos/directory.ts'
import { deleteWork } from '../../../storage/repos/domain-works.ts'
import type { SetError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { insertStored } from '../../type/object-store.ts'
import { charge } from '../billing/charges.ts'
import { refusedPayment } from '../billing/purchase.ts'
import { type MadeDkimKey, makeDkimKey } from '../domain/dkim-keys.ts'
import { keepDkimKey } from '../domain/dkim-store.ts'
import { Domain } from '../domain/domain.type.ts'
import { freshDomain } from '../domain/fresh-domain.ts'
import { holds, type LeasedOrder, later, record } from './order.ts'
import { unreachable } from './refusals.ts'

/** null: it is paid, and the domain is being registered. */
export async function payOrder(services: Services, task: LeasedOrder): Promise<SetError | null> {
  const { account, name, order } = task
  const years = `${order.years} ${order.years === 1 ? 'year' : 'years'}`
  const outcome = await charge(services, {
    organization: account,
    key: order.paymentKey,
    amount: order.amount,
    currency: order.currency,
    item: name,
    description: `${name}, ${years}`,
  })
  switch (outcome.kind) {
    case 'charged': {
      const keys = await Promise.all([makeDkimKey('rsa'), makeDkimKey('ed25519')])
      await record(services, task, { step: 'register', order }, (unit) => addDomain(services, unit, task, keys))
      return null
    }
    case 'refused':
      await forget(services, task)
      return refusedPayment(outcome)
    case 'unsure':
      services.logger.warn({ account, domain: name, reason: outcome.reason }, 'a payment is not known yet')
      await later(services, task)
      return unreachable(outcome.reason)
  }
}

/** Nothing was charged, so nothing is left of the order. */
function forget({ store }: Services, task: LeasedOrder): Promise<void> {
  return store.write([task.account], async (work) => {
    const unit = work.account(task.account)
    if (await holds(unit, task)) await deleteWork(unit, task.domain, task.kind)
  })
}

async function addDomain(
  { keyring, dnsProviders, registrar }: Services,
  unit: AccountUnit,
  { domain: number, name }: LeasedOrder,
  keys: readonly MadeDkimKey[],
): Promise<void> {
  const at = formatUTCDate(unit.now)
  const data = {
    ...freshDomain(name, keys, false, unit.now),
    status: 'registering',
    managedBy: 'service',
    dnsProvider: dnsProviders.ownLabel ?? registrar?.label ?? 'manual',
    dmarcManagedExternally: false,
    catchAllMailboxId: null,
    autoRenew: true,
    isTrusted: false,
    createdAt: at,
    updatedAt: at,
  } as const
  await saveDomainName(unit.sql, { name, account: unit.account, object: number, status: data.status, catch_all: null })
  for (const key of keys) await keepDkimKey(unit, number, key, keyring)
  await insertStored(unit, Domain, { id: number, data })
}
