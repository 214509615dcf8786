/**
 * The years after the first: those that were ordered at once, and renewals, which are charged 30 days before the expiry by the same steps
 * (decision D33). A payment that is refused is tried again each day, with a key of its own, because another card needs one.
 */
import {
  REGISTRATION_PENDING_MS,
  RENEWAL_BEFORE_MS,
  RENEWAL_GRACE_MS,
  RENEWAL_LEAST_MS,
  RENEWAL_RETRY_MS,
  RENEWAL_UNSURE_MS,
} from '../../../server/base/registration-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { appendEvent } from '../../events/append.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import type { OwnedDomain, Registrar } from '../../type/registrar-port.ts'
import { charge, refund } from '../billing/charges.ts'
import { purchaseFault } from '../billing/purchase.ts'
import { Domain } from '../domain/domain.type.ts'
import { reviewLetters } from './letters.ts'
import { type LeasedOrder, later, note, type Order, record } from './order.ts'
import { keepExpiry, notKnown, type OrderStep } from './steps.ts'

/** Epoch ms when the renewal begins. */
export function renewalAt({ expiresAt }: Order): number | null {
  return expiresAt === null ? null : expiresAt - RENEWAL_BEFORE_MS
}

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
    order: withKey({ ...order, reason: null }, domain),
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
  return record(services, task, next, async (unit) => {
    await reviewLetters(unit, task.domain)
    if (isNews) await reportFailure(services, unit, task, failed)
  })
}

async function reportFailure(
  { ids }: Services,
  unit: AccountUnit,
  { domain, name }: LeasedOrder,
  { expiresAt, reason }: Order,
): Promise<void> {
  if (!(await findStored(unit, unit.account, Domain, domain))) return
  const expires_at = new Date(expiresAt!).toISOString()
  const domain_id = ids.encode(Domain, unit.account, domain)
  await appendEvent(unit, 'domain.renewal_failed', { domain_id, name, expires_at, reason })
}

export const renewStep: OrderStep = (services, registrar, task) =>
  addYears(services, registrar, task, 1, (reason) => {
    return record(services, task, { step: 'renewRefund', order: { ...task.order, reason } })
  })

/** The years that were ordered beyond the first. A refusal is tried again: the domain is there, and it is paid. */
export const extendStep: OrderStep = (services, registrar, task) =>
  addYears(services, registrar, task, task.order.years - 1, (reason) => {
    services.logger.error({ domain: task.name, reason }, 'the registrar did not add the years of an order')
    return later(services, task)
  })

async function addYears(
  services: Services,
  registrar: Registrar,
  task: LeasedOrder,
  years: number,
  refused: (reason: string) => Promise<unknown>,
) {
  const { name, order } = task
  const { renewalPrice: price, paymentKey } = order
  const least = order.expiresAt! + RENEWAL_LEAST_MS * years
  const found = await registrar.find(name)
  if (found.kind !== 'done') return notKnown(services, task, found)
  const moved = movedTo(found.value, least)
  if (moved !== null) return renewed(services, task, moved)
  // It was accepted, and the expiry has not moved yet: registries take their time.
  if (order.acceptedAt !== null) return later(services, task, REGISTRATION_PENDING_MS)
  const answer = await registrar.renew({ name, years, price, key: `${paymentKey}/renew` })
  if (answer.kind === 'done') {
    const accepted = { ...order, acceptedAt: services.clock.now() }
    return record(services, task, { step: task.step, order: accepted })
  }
  // The request may still be under way.
  if (answer.kind === 'unreachable') return notKnown(services, task, { ...answer, retryAfter: RENEWAL_UNSURE_MS })
  const after = await registrar.find(name)
  if (after.kind !== 'done') return notKnown(services, task, after)
  const late = movedTo(after.value, least)
  return late === null ? refused(answer.reason) : renewed(services, task, late)
}

/** null: the expiry is before `least`. */
function movedTo(owned: OwnedDomain | null, least: number): number | null {
  const expiresAt = owned?.expiresAt ?? null
  return expiresAt !== null && expiresAt >= least ? expiresAt : null
}

function renewed(services: Services, task: LeasedOrder, expiresAt: number) {
  const event = task.step === 'renew' ? 'domain.renewed' : null
  const order: Order = { ...task.order, expiresAt, isAsked: false, acceptedAt: null, payments: 0, reason: null }
  return record(services, task, { step: 'hold', order }, (unit) => keepExpiry(services, unit, task, expiresAt, event))
}

export const renewRefundStep: OrderStep = async (services, _registrar, task) => {
  const { account, name, order } = task
  const outcome = await refund(services, { organization: account, key: order.paymentKey })
  if (outcome.kind === 'unsure') return later(services, task)
  if (outcome.kind === 'refused')
    services.logger.error({ account, domain: name, reason: outcome.reason }, 'a refund was refused: give it by hand')
  return postpone(services, task, order, order.reason ?? 'the registrar refused')
}
