/**
 * Years that the registrar does not add, although it has accepted them or was asked for a day. They are paid back, and the operator and the owner
 * are told. The registrar is not asked for them again, because it might add them twice; whether they come late is looked for once a day.
 */
import { EXTEND_ATTEMPTS_MAX, RENEWAL_GRACE_MS, YEARS_LOOK_MS } from '../../../server/base/registration-limits.ts'
import type { Services } from '../../type/context.ts'
import { refund } from '../billing/charges.ts'
import { type LeasedOrder, later, type Order, record, type Unmet } from './order.ts'
import { priceOf } from './price.ts'
import { failRenewal } from './renewal-failure.ts'
import { notKnown, type OrderStep } from './steps.ts'
import { addYears, movedTo, renewalAt, yearsAdded } from './years.ts'

/** After the refund. */
export function leaveUnmet(services: Services, task: LeasedOrder, what: Unmet['what'], years: number) {
  const { account, name, order } = task
  const now = services.clock.now()
  const { reason, paymentKey: payment } = order
  services.logger.error(
    { account, domain: name, years, reason, payment },
    'the registrar did not add years that it was asked for, and they were paid back: look what it has charged',
  )
  // A renewal that is ordered anew is another payment.
  const payments = order.payments + (what === 'renewal' ? 1 : 0)
  const unmet: Order = { ...order, isAsked: false, payments, unmet: { what, years, since: now } }
  return record(services, task, { step: 'unmet', order: unmet, dueAt: now + YEARS_LOOK_MS }, (unit) =>
    failRenewal(services, unit, task, unmet, true),
  )
}

/** The years that were ordered beyond the first. A refusal is tried again for a day: the domain is there, and they are paid. */
export const extendStep: OrderStep = (services, registrar, task) =>
  addYears(services, registrar, task, task.order.years - 1, (reason, isAccepted) => {
    const { account, name, order, attempts } = task
    if (isAccepted || attempts >= EXTEND_ATTEMPTS_MAX)
      return record(services, task, { step: 'extendRefund', order: { ...order, reason } })
    services.logger.warn({ account, domain: name, reason }, 'the registrar did not add the years of an order')
    return later(services, task)
  })

export const extendRefundStep: OrderStep = async (services, _registrar, task) => {
  const { account, name, order } = task
  const years = order.years - 1
  const amount = priceOf(order.renewalPrice, order.renewalPrice, years)
  const outcome = await refund(services, { organization: account, key: order.paymentKey, amount })
  if (outcome.kind === 'unsure') return later(services, task)
  if (outcome.kind === 'refused')
    services.logger.error(
      { account, domain: name, amount, reason: outcome.reason },
      'a refund was refused: give it by hand',
    )
  return leaveUnmet(services, task, 'years', years)
}

export const unmetStep: OrderStep = async (services, registrar, task) => {
  const { account, name, order } = task
  const { what, years } = order.unmet!
  const found = await registrar.find(name)
  if (found.kind !== 'done') return notKnown(services, task, found)
  const moved = movedTo(found.value, order, years)
  if (moved !== null) {
    services.logger.warn({ account, domain: name, years }, 'years that were paid back have been added after all')
    return yearsAdded(services, task, moved)
  }
  const now = services.clock.now()
  if (what === 'years' && now >= renewalAt(order)!)
    return record(services, task, { step: 'hold', order: { ...order, unmet: null } })
  if (now <= order.expiresAt! + RENEWAL_GRACE_MS)
    return record(services, task, { step: 'unmet', order, dueAt: now + YEARS_LOOK_MS })
  return record(services, task, { step: 'lapsed', order, dueAt: null, isReleased: true }, (unit) =>
    failRenewal(services, unit, task, order, true),
  )
}
