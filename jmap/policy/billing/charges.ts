/**
 * Payments for purchases. The row of a payment is durable before the provider is asked, and has the payment method with which it is asked, so
 * that a repeated attempt is the same request: it is never charged twice (decision D33).
 */
import { CHARGE_KEY_MAX_CHARS, CHARGE_SETTLED_MS, CHARGE_TEXT_MAX_CHARS } from '../../../server/base/billing-limits.ts'
import { findBilling } from '../../../storage/repos/billing.ts'
import { findCharge, insertCharge, updateCharge } from '../../../storage/repos/billing-charges.ts'
import type { BillingChargeTable } from '../../../storage/schema/tables.ts'
import type { PaymentOutcome, PaymentProvider } from '../../type/billing-port.ts'
import type { Services } from '../../type/context.ts'
import { readFake } from './fake.ts'
import { payingFault } from './fake-cards.ts'
import type { ChargeOutcome, ChargeRequest, RefundOutcome, RefundRequest } from './payment.ts'
import { NO_PAYMENT_METHOD } from './purchase.ts'

type Needs = Pick<Services, 'store' | 'billing' | 'ids' | 'clock'>

/** @throws Failure of the store; Error for a request that is no request, or another one with a known key */
export async function charge(services: Needs, request: ChargeRequest): Promise<ChargeOutcome> {
  requireRequest(request)
  const { organization, key } = request
  const known = await services.store.read((reader) => findCharge(reader, organization, key))
  const begun = known ?? (await begin(services, request))
  if (!('status' in begun)) return begun
  requireSame(begun, request)
  switch (begun.status) {
    case 'charged':
      return { kind: 'charged', isFree: begun.source === null }
    case 'started':
      return finish(services, begun, await pay(services, begun, known !== null))
    default:
      return { kind: 'refused', code: 'payment_failed', reason: begun.reason ?? 'The payment was given back.' }
  }
}

/** Writes the row, with the payment method. */
async function begin(services: Needs, request: ChargeRequest): Promise<BillingChargeTable | ChargeOutcome> {
  const { store, billing } = services
  const { organization, key, amount, currency, item, description } = request
  const found = billing.kind === 'none' ? { source: null } : await sourceOf(services, organization)
  if ('kind' in found) return found
  const status = billing.kind === 'none' ? 'charged' : 'started'
  return store.write([organization], async (work) => {
    const unit = work.account(organization)
    // Another call with the same key may have been faster.
    const other = await findCharge(unit, organization, key)
    if (other) return other
    const row = { key, amount, currency, item, description, status, reason: null, ...found, reference: null } as const
    await insertCharge(unit, row)
    return { organization, ...row, created_at: unit.now, updated_at: unit.now }
  })
}

/** The payment method at the provider. */
async function sourceOf(
  { store, billing }: Needs,
  organization: number,
): Promise<{ readonly source: string } | ChargeOutcome> {
  const row = await store.read((reader) => findBilling(reader, organization))
  const none: ChargeOutcome = { kind: 'refused', code: 'no_payment_method', reason: NO_PAYMENT_METHOD }
  if (row?.customer == null) return none
  if (billing.kind !== 'stripe') {
    const { card } = readFake(row.fake)
    return card === null ? none : { source: card }
  }
  const state = await billing.provider.read(row.customer)
  if (state.kind === 'failed') return { kind: 'unsure', reason: state.reason }
  return state.value.paymentMethod === null ? none : { source: state.value.paymentMethod }
}

async function pay(services: Needs, row: BillingChargeTable, isRepeated: boolean): Promise<PaymentOutcome> {
  const { billing, store } = services
  const { organization, amount, currency, item, description, source } = row
  if (billing.kind !== 'stripe') {
    // Decision D31
    const fault = item.startsWith('declined') ? 'The card was declined.' : payingFault(source)
    return fault === null ? { kind: 'charged', reference: `fake_${row.key}` } : { kind: 'declined', reason: fault }
  }
  const customer = (await store.read((reader) => findBilling(reader, organization)))?.customer
  if (customer == null || source === null) return { kind: 'unsure', reason: 'the customer has gone' }
  const payment = { customer, paymentMethod: source, key: outerKey(services, row), amount, currency, description }
  return billing.provider.pay({ ...payment, isRepeated })
}

async function finish(
  { store }: Needs,
  { organization, key }: BillingChargeTable,
  outcome: PaymentOutcome,
): Promise<ChargeOutcome> {
  if (outcome.kind === 'unsure') return outcome
  const isCharged = outcome.kind === 'charged'
  const reason = isCharged ? null : outcome.reason.slice(0, CHARGE_TEXT_MAX_CHARS)
  const set = isCharged
    ? ({ status: 'charged', reference: outcome.reference } as const)
    : ({ status: 'refused', reason } as const)
  return store.write([organization], async (work) => {
    const unit = work.account(organization)
    const row = await findCharge(unit, organization, key)
    if (row?.status === 'started') await updateCharge(unit, key, set)
    if (isCharged) return { kind: 'charged', isFree: false }
    return { kind: 'refused', code: 'payment_failed', reason: reason! }
  })
}

/** @throws Failure of the store */
export async function refund(services: Needs, { organization, key, amount }: RefundRequest): Promise<RefundOutcome> {
  const row = await services.store.read((reader) => findCharge(reader, organization, key))
  switch (row?.status) {
    case 'refunded':
      return { kind: 'refunded' }
    case 'refused':
    case 'void':
      return { kind: 'nothing' }
    case 'charged':
    case 'refunding':
      return giveBack(services, row, amount ?? null)
    case 'started':
      return giveBackStarted(services, row, amount ?? null)
    default:
      return forbid(services, { organization, key }, 'unknown')
  }
}

/** Nothing was charged, and nothing will be. */
function forbid(
  { store }: Needs,
  { organization, key }: RefundRequest,
  expected: 'unknown' | 'started',
): Promise<RefundOutcome> {
  return store.write([organization], async (work) => {
    const unit = work.account(organization)
    const found = await findCharge(unit, organization, key)
    // Another call has begun or ended it meanwhile.
    if ((found?.status ?? 'unknown') !== expected)
      return { kind: 'unsure', reason: 'a charge with this key is under way' }
    const none = { amount: '', currency: '', item: '', description: '', source: null, reference: null }
    if (found) await updateCharge(unit, key, { status: 'void' })
    else await insertCharge(unit, { key, ...none, status: 'void', reason: null })
    return { kind: 'nothing' }
  })
}

/** It is not known whether it was charged. */
async function giveBackStarted(services: Needs, row: BillingChargeTable, part: string | null): Promise<RefundOutcome> {
  const { store, billing, clock } = services
  const { organization, key, created_at: createdAt } = row
  if (!isOfStripe(row)) return forbid(services, row, 'started')
  if (billing.kind !== 'stripe') return NO_STRIPE
  if (clock.now() - createdAt < CHARGE_SETTLED_MS) return { kind: 'unsure', reason: 'the charge may be under way' }
  const customer = (await store.read((reader) => findBilling(reader, organization)))?.customer
  const found = customer == null ? null : await billing.provider.findPayment(customer, outerKey(services, row))
  if (found?.kind === 'failed') return { kind: 'unsure', reason: found.reason }
  if (found === null || found.value === null) return forbid(services, row, 'started')
  const reference = found.value
  await store.write([organization], (work) =>
    updateCharge(work.account(organization), key, { status: 'charged', reference }),
  )
  return giveBack(services, { ...row, reference }, part)
}

/** @param part null: all of it */
async function giveBack(services: Needs, row: BillingChargeTable, part: string | null): Promise<RefundOutcome> {
  const { store, billing } = services
  const { organization, key, reference, currency } = row
  if (isOfStripe(row) && billing.kind !== 'stripe') return NO_STRIPE
  const set = (status: 'refunding' | 'refunded') =>
    store.write([organization], (work) => updateCharge(work.account(organization), key, { status }))
  // A charge with this key is not repeated from now on.
  await set('refunding')
  const provider: PaymentProvider | null = billing.kind === 'stripe' ? billing.provider : null
  if (provider && reference !== null) {
    const request = {
      reference,
      key: `refund/${outerKey(services, row)}`,
      part: part === null ? null : { amount: part, currency },
    }
    const outcome = await provider.refund(request)
    if (outcome.kind === 'failed') return { kind: outcome.isFinal ? 'refused' : 'unsure', reason: outcome.reason }
  }
  await set('refunded')
  return { kind: 'refunded' }
}

/** The settings have changed since. The fake's payment methods are numbers of cards. */
const NO_STRIPE: RefundOutcome = { kind: 'unsure', reason: 'the payment is at Stripe, which is not set up' }

function isOfStripe({ source }: BillingChargeTable): boolean {
  return source !== null && !/^\d+$/.test(source)
}

/** The ids of an installation are its own, so that two of them may share an account at the provider. */
function outerKey({ ids }: Needs, { organization, key }: Pick<BillingChargeTable, 'organization' | 'key'>): string {
  return `${ids.accountId('organization', organization)}/${key}`
}

function requireRequest({ key, amount, currency }: ChargeRequest): void {
  const isKey = /^[\x21-\x7e]+$/.test(key) && key.length <= CHARGE_KEY_MAX_CHARS
  if (!isKey || !/^\d{1,7}(\.\d{1,3})?$/.test(amount) || !/^[A-Z]{3}$/.test(currency))
    throw new Error(`no charge: ${JSON.stringify({ key, amount, currency })}`)
}

function requireSame(row: BillingChargeTable, { amount, currency, item }: ChargeRequest): void {
  const isVoid = row.status === 'void' && row.amount === ''
  if (!isVoid && (row.amount !== amount || row.currency !== currency || row.item !== item))
    throw new Error(`the key ${row.key} was used for another charge`)
}
