/** Years that are added to a registration. The registrar is asked what it has before it is asked for more, so that none is bought twice. */
import {
  REGISTRATION_PENDING_MS,
  RENEWAL_BEFORE_MS,
  RENEWAL_LEAST_MS,
  RENEWAL_UNSURE_MS,
  YEARS_PENDING_MAX_MS,
} from '../../../server/base/registration-limits.ts'
import type { Services } from '../../type/context.ts'
import type { OwnedDomain, Registrar } from '../../type/registrar-port.ts'
import { type LeasedOrder, later, type Order, record } from './order.ts'
import { keepExpiry, notKnown } from './steps.ts'

/** Epoch ms when the renewal begins. */
export function renewalAt({ expiresAt }: Order): number | null {
  return expiresAt === null ? null : expiresAt - RENEWAL_BEFORE_MS
}

/** @param isAccepted the registrar has accepted them, and has not added them for days */
type Failed = (reason: string, isAccepted: boolean) => Promise<unknown>

export async function addYears(
  services: Services,
  registrar: Registrar,
  task: LeasedOrder,
  years: number,
  failed: Failed,
) {
  const { name, order } = task
  const { renewalPrice: price, paymentKey } = order
  const found = await registrar.find(name)
  if (found.kind !== 'done') return notKnown(services, task, found)
  const moved = movedTo(found.value, order, years)
  if (moved !== null) return yearsAdded(services, task, moved)
  if (order.acceptedAt !== null) {
    const isOverdue = services.clock.now() - order.acceptedAt >= YEARS_PENDING_MAX_MS
    return isOverdue ? failed(NOT_DONE, true) : later(services, task, REGISTRATION_PENDING_MS)
  }
  const answer = await registrar.renew({ name, years, price, key: `${paymentKey}/renew` })
  if (answer.kind === 'done') {
    const accepted = { ...order, acceptedAt: services.clock.now() }
    return record(services, task, { step: task.step, order: accepted })
  }
  // The request may still be under way.
  if (answer.kind === 'unreachable') return notKnown(services, task, { ...answer, retryAfter: RENEWAL_UNSURE_MS })
  const after = await registrar.find(name)
  if (after.kind !== 'done') return notKnown(services, task, after)
  const late = movedTo(after.value, order, years)
  return late === null ? failed(answer.reason, false) : yearsAdded(services, task, late)
}

const NOT_DONE = 'the registrar accepted the order and did not carry it out'

/** Epoch ms; null: the expiry has not moved by so many years. */
export function movedTo(owned: OwnedDomain | null, order: Order, years: number): number | null {
  const expiresAt = owned?.expiresAt ?? null
  return expiresAt !== null && expiresAt >= order.expiresAt! + RENEWAL_LEAST_MS * years ? expiresAt : null
}

export function yearsAdded(services: Services, task: LeasedOrder, expiresAt: number) {
  const isRenewal = task.step === 'renew' || task.order.unmet?.what === 'renewal'
  const event = isRenewal ? 'domain.renewed' : null
  const done = { isAsked: false, acceptedAt: null, payments: 0, reason: null, unmet: null }
  const order: Order = { ...task.order, ...done, expiresAt }
  return record(services, task, { step: 'hold', order }, (unit) => keepExpiry(services, unit, task, expiresAt, event))
}
