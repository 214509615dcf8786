/**
 * Renewals, which are charged 30 days before the expiry by the same steps as a registration (decision D33). A payment that is refused is tried
 * again each day, with a key of its own, because another card needs one.
 */
import { RENEWAL_GRACE_MS, RENEWAL_RETRY_MS } from '../../../server/base/registration-limits.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { charge, refund } from '../billing/charges.ts'
import { purchaseFault } from '../billing/purchase.ts'
import { Domain } from '../domain/domain.type.ts'
import { type LeasedOrder, later, note, type Order, record } from './order.ts'
import { failRenewal } from './renewal-failure.ts'
import { notKnown, type OrderStep } from './steps.ts'
import { leaveUnmet } from './unmet.ts'
import { addYears, renewalAt } from './years.ts'

/** Registered, until the renewal is due. */
export const holdStep: OrderStep = async (services, _registrar, task) => {
  const { account, domain, order } = task
  const found = await services.store.read((reader) => findStored(reader, account, Domain, domain))
  const at = renewalAt(order)
  if (at === null || !found?.data.autoRenew) return record(services, task, { step: 'hold', order, dueAt: null })
  if (at > services.clock.now()) return record(services, task, { step: 'hold', order, dueAt: at })
  return record(services, task, {
    step: 'renewCharge',
    // Attempts before it was switched off have used their keys.
    order: withKey({ ...order, reason: null, unmet: null }, domain),
  })
}

/** A payment of its own for each year and each attempt. */
function withKey(order: Order, domain: number): Order {
  const day = new Date(order.expiresAt!).toISOString().slice(0, 10)
  return { ...order, isAsked: false, acceptedAt: null, paymentKey: `domain/${domain}/${day}/${order.payments}` }
}

export const renewChargeStep: OrderStep = async (services, registrar, task) => {
  const { account, domain, name, order } = task
  const found = await services.store.read((reader) => findStored(reader, account, Domain, domain))
  if (!found?.data.autoRenew) return standBack(services, task)
  // The price is that of the day, unless this payment may have been made already.
  const priced = order.isAsked ? null : await registrar.renewalPrice(name)
  if (priced && priced.kind !== 'done') return notKnown(services, task, priced)
  const price = priced?.value.price ?? order.renewalPrice
  const currency = priced?.value.currency ?? order.currency
  const current = { ...order, renewalPrice: price, amount: price, currency, isAsked: true }
  if (!(await note(services, task, current))) return
  const fault = await services.store.read((reader) => purchaseFault(reader, services, account))
  if (fault) return postpone(services, task, current, fault.description ?? 'nothing may be bought at present')
  const outcome = await charge(services, {
    organization: account,
    key: current.paymentKey,
    amount: current.amount,
    currency: current.currency,
    item: name,
    description: `${name}, renewal for 1 year`,
  })
  switch (outcome.kind) {
    case 'charged':
      return record(services, task, { step: 'renew', order: current })
    case 'refused':
      return postpone(services, task, current, outcome.reason)
    case 'unsure':
      services.logger.warn({ account, domain: name, reason: outcome.reason }, 'a payment is not known yet')
      return later(services, task)
  }
}

/** The renewal was switched off. A payment that may have been made before a crash is given back. */
async function standBack(services: Services, task: LeasedOrder) {
  const { account, domain, name, order } = task
  if (!order.isAsked) return record(services, task, { step: 'hold', order, dueAt: null })
  const outcome = await refund(services, { organization: account, key: order.paymentKey })
  if (outcome.kind === 'unsure') return later(services, task)
  if (outcome.kind === 'refused')
    services.logger.error({ account, domain: name, reason: outcome.reason }, 'a refund was refused: give it by hand')
  const next = withKey({ ...order, payments: order.payments + 1 }, domain)
  // It may have been switched on again meanwhile.
  return record(services, task, { step: 'hold', order: next })
}

/** Tomorrow again, by another payment, until the domain is lost. Only the first failure of a renewal makes an event. */
function postpone(services: Services, task: LeasedOrder, order: Order, reason: string) {
  const { clock } = services
  const isLost = clock.now() > order.expiresAt! + RENEWAL_GRACE_MS
  const failed = { ...order, payments: order.payments + 1, reason }
  const next = isLost
    ? ({ step: 'lapsed', order: failed, dueAt: null, isReleased: true } as const)
    : ({ step: 'renewCharge', order: withKey(failed, task.domain), dueAt: clock.now() + RENEWAL_RETRY_MS } as const)
  const isNews = isLost || order.payments === 0
  return record(services, task, next, (unit) => failRenewal(services, unit, task, failed, isNews))
}

export const renewStep: OrderStep = (services, registrar, task) =>
  addYears(services, registrar, task, 1, (reason) => {
    return record(services, task, { step: 'renewRefund', order: { ...task.order, reason } })
  })

export const renewRefundStep: OrderStep = async (services, _registrar, task) => {
  const { account, name, order } = task
  const outcome = await refund(services, { organization: account, key: order.paymentKey })
  if (outcome.kind === 'unsure') return later(services, task)
  if (outcome.kind === 'refused')
    services.logger.error({ account, domain: name, reason: outcome.reason }, 'a refund was refused: give it by hand')
  if (order.acceptedAt !== null) return leaveUnmet(services, task, 'renewal', 1)
  return postpone(services, task, order, order.reason ?? 'the registrar refused')
}
