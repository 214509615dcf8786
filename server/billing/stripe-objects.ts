/** What Stripe's objects say in the words of the core. Pure. */
import type Stripe from 'stripe'
import type { CustomerState, SubscriptionState } from '../../jmap/type/billing-port.ts'
import { PAID_PLANS, type PaidPlan } from '../base/billing-limits.ts'

export type Prices = { readonly [plan in PaidPlan]: string }

/** @param subscriptions of the customer, also ended ones, the newest first, with their latest invoices */
export function customerState(
  customer: Stripe.Customer,
  subscriptions: readonly Stripe.Subscription[],
  prices: Prices,
): CustomerState {
  const counted = countedOf(subscriptions)
  const method = customer.invoice_settings?.default_payment_method ?? counted?.default_payment_method ?? null
  return {
    paymentMethod: method === null ? null : idOf(method),
    subscription: counted && subscriptionState(counted, prices),
  }
}

/** The best running one counts; without one, the newest that has ended. One whose first payment failed has never begun. */
function countedOf(subscriptions: readonly Stripe.Subscription[]): Stripe.Subscription | null {
  const RANK = ['active', 'trialing', 'past_due', 'unpaid', 'paused', 'canceled']
  const begun = subscriptions.filter(({ status }) => RANK.includes(status))
  return begun.toSorted((a, b) => RANK.indexOf(a.status) - RANK.indexOf(b.status))[0] ?? null
}

const STATUS: { readonly [status: string]: SubscriptionState['status'] } = {
  active: 'active',
  trialing: 'trialing',
  past_due: 'past_due',
  // Stripe's setting decides which of these follows failed retries; our time of grace is the same for both.
  unpaid: 'past_due',
  // A trial without a payment method is over.
  paused: 'ended',
  canceled: 'ended',
}

function subscriptionState(one: Stripe.Subscription, prices: Prices): SubscriptionState {
  const item = one.items.data[0]
  const status = STATUS[one.status]!
  const start = item?.current_period_start ?? one.start_date
  const end = item?.current_period_end ?? one.start_date
  const cancelAt = one.cancel_at ?? (one.cancel_at_period_end ? end : null)
  return {
    id: one.id,
    plan: PAID_PLANS.find((plan) => prices[plan] === item?.price.id) ?? null,
    status,
    trialEndsAt: ms(one.trial_end),
    periodStart: start * 1_000,
    periodEnd: end * 1_000,
    anchor: one.billing_cycle_anchor * 1_000,
    cancelAt: ms(cancelAt),
    unpaidSince: unpaidSince(one, status),
  }
}

/** An invoice is paid, or fails, when it is finalized. */
function unpaidSince(one: Stripe.Subscription, status: SubscriptionState['status']): number | null {
  if (status === 'ended') return ms(one.ended_at ?? one.canceled_at ?? one.trial_end)
  if (status !== 'past_due') return null
  const invoice = typeof one.latest_invoice === 'object' ? one.latest_invoice : null
  return ms(invoice?.status_transitions?.finalized_at ?? invoice?.created ?? null)
}

function ms(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1_000
}

export function idOf(one: string | { readonly id: string }): string {
  return typeof one === 'string' ? one : one.id
}
