/**
 * The steps of a paid order at the registrar, each recorded before the next: a crash at any point repeats at most one question. Before the
 * registrar is asked to register or renew a second time it is asked what it has, so that nothing is bought twice (decision D33).
 */
import {
  REGISTRATION_ABSENT_MAX_MS,
  REGISTRATION_OWN_MS,
  REGISTRATION_PENDING_MAX_MS,
  REGISTRATION_PENDING_MS,
} from '../../../server/base/registration-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { appendEvent } from '../../events/append.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import type { ProviderAnswer, ProviderFault } from '../../type/provider-answer.ts'
import type { OwnedDomain, Registrar } from '../../type/registrar-port.ts'
import { refund } from '../billing/charges.ts'
import { Domain, type StoredDomain } from '../domain/domain.type.ts'
import { keepDomain } from '../domain/keep-domain.ts'
import { planLetters } from './letters.ts'
import { type LeasedOrder, later, note, type Order, openRegistrant, record } from './order.ts'

/** The step of an order that is due, at a registrar. */
export type OrderStep = (services: Services, registrar: Registrar, task: LeasedOrder) => Promise<unknown>

export const registerStep: OrderStep = async (services, registrar, task) => {
  const { name, order } = task
  if (order.isAsked) {
    const found = await findOwn(registrar, task)
    if (found.kind !== 'done') return notKnown(services, task, found)
    if (found.value) return record(services, task, { step: 'confirm', order: accepted(order, services) })
  }
  if (!(await note(services, task, { ...order, isAsked: true }))) return
  const registrant = openRegistrant(services.keyring, task, order.contact!)
  const asked = { ...task, order: { ...order, isAsked: true } }
  const { purchasePrice: price, paymentKey: key } = order
  const answer = await registrar.register({ name, price, key, registrant })
  switch (answer.kind) {
    case 'done':
      return record(services, asked, { step: 'confirm', order: accepted(asked.order, services) })
    case 'unreachable':
      return notKnown(services, asked, answer)
    case 'refused':
      return refuseOrder(services, registrar, asked, answer.reason)
  }
}

function accepted(order: Order, { clock }: Services): Order {
  return { ...order, acceptedAt: order.acceptedAt ?? clock.now() }
}

/** An earlier request may have registered it, and a later one be refused for that reason. */
async function refuseOrder(services: Services, registrar: Registrar, task: LeasedOrder, reason: string) {
  const found = await findOwn(registrar, task)
  if (found.kind !== 'done') return notKnown(services, task, found)
  const { order } = task
  return found.value
    ? record(services, task, { step: 'confirm', order: accepted(order, services) })
    : record(services, task, { step: 'refund', order: { ...order, reason } })
}

/** The order's own registration; null: there is none. What the account held before the order is not the customer's. */
async function findOwn(
  registrar: Registrar,
  { name, orderedAt }: LeasedOrder,
): Promise<ProviderAnswer<OwnedDomain | null>> {
  const found = await registrar.find(name)
  if (found.kind !== 'done' || found.value === null) return found
  const { registeredAt } = found.value
  const isOlder = registeredAt !== null && registeredAt < orderedAt - REGISTRATION_OWN_MS
  return isOlder ? { kind: 'done', value: null } : found
}

function notKnown({ logger, ...services }: Services, task: LeasedOrder, fault: ProviderFault) {
  const { account, name, step } = task
  logger.warn({ account, domain: name, step, reason: fault.reason }, 'a registrar or DNS provider did not do a step')
  return later(services, task, fault.kind === 'unreachable' ? fault.retryAfter : null)
}

export const confirmStep: OrderStep = async (services, registrar, task) => {
  const { order } = task
  const found = await findOwn(registrar, task)
  if (found.kind !== 'done') return notKnown(services, task, found)
  const expiresAt = found.value?.expiresAt ?? null
  if (expiresAt !== null) {
    const next = { step: 'settle', order: { ...order, expiresAt, isAsked: false, acceptedAt: null } } as const
    return record(services, task, next, (unit) => keepExpiry(services, unit, task, expiresAt, 'domain.registered'))
  }
  const since = services.clock.now() - (order.acceptedAt ?? task.orderedAt)
  const limit = found.value === null ? REGISTRATION_ABSENT_MAX_MS : REGISTRATION_PENDING_MAX_MS
  if (since < limit)
    return record(services, task, { step: 'confirm', order, dueAt: services.clock.now() + REGISTRATION_PENDING_MS })
  const reason = 'the registry did not confirm the registration'
  return record(services, task, { step: 'refund', order: { ...order, reason } })
}

/** The registrar has all that it needs of the registrant, so it is not kept here. */
export const settleStep: OrderStep = async (services, registrar, task) => {
  const { name, order } = task
  if (order.contact !== null) {
    const answer = await registrar.settle(name, openRegistrant(services.keyring, task, order.contact))
    if (answer.kind === 'unreachable') return notKnown(services, task, answer)
    if (answer.kind === 'refused')
      services.logger.error(
        { domain: name, reason: answer.reason },
        'the registrar did not take the data of a registrant',
      )
  }
  return record(services, task, { step: 'zone', order: { ...order, contact: null } })
}

export const zoneStep: OrderStep = async (services, registrar, task) => {
  const { name, order } = task
  const own = services.dnsProviders.own(name)
  const made = await (own ?? registrar.zone(name)).ensure()
  if (made.kind !== 'done') return notKnown(services, task, made)
  if (own && made.value.length > 0) {
    const delegated = await registrar.setNameServers(name, made.value)
    if (delegated.kind !== 'done') return notKnown(services, task, delegated)
  }
  return record(services, task, { step: 'records', order })
}

export const refundStep: OrderStep = async (services, _registrar, task) => {
  const { account, name, order } = task
  const outcome = await refund(services, { organization: account, key: order.paymentKey })
  if (outcome.kind === 'unsure') {
    services.logger.warn({ account, domain: name, reason: outcome.reason }, 'a refund is not known yet')
    return later(services, task)
  }
  if (outcome.kind === 'refused')
    services.logger.error({ account, domain: name, reason: outcome.reason }, 'a refund was refused: give it by hand')
  const next = { step: 'failed', order: { ...order, contact: null }, dueAt: null, isReleased: true } as const
  return record(services, task, next, (unit) => failDomain(services, unit, task))
}

async function failDomain({ ids }: Services, unit: AccountUnit, { domain, name, order }: LeasedOrder): Promise<void> {
  const found = await findStored(unit, unit.account, Domain, domain)
  if (!found) return
  await keepDomain(unit, domain, found.data, { ...found.data, status: 'registration_failed', autoRenew: false })
  const domain_id = ids.encode(Domain, unit.account, domain)
  await appendEvent(unit, 'domain.registration_failed', { domain_id, name, expires_at: null, reason: order.reason })
}

/** Inside a unit of work. */
export async function keepExpiry(
  { ids }: Services,
  unit: AccountUnit,
  { domain, name }: LeasedOrder,
  expiresAt: number,
  event: 'domain.registered' | 'domain.renewed' | null,
): Promise<void> {
  const found = await findStored(unit, unit.account, Domain, domain)
  if (!found) return
  const next: StoredDomain = { ...found.data, expiresAt: formatUTCDate(expiresAt), renewalError: null }
  await keepDomain(unit, domain, found.data, next)
  await planLetters(unit, domain, name, expiresAt)
  if (event === null) return
  const expires_at = new Date(expiresAt).toISOString()
  await appendEvent(unit, event, {
    domain_id: ids.encode(Domain, unit.account, domain),
    name,
    expires_at,
    reason: null,
  })
}

/** For the steps of other files. */
export { notKnown }
