/**
 * The interface by which the core reads subscriptions and makes payments at a provider. The host implements it (server/billing), because the
 * core opens no sockets.
 */
import type { PaidPlan } from '../../server/base/billing-limits.ts'

/** What a customer has at the provider. Times are epoch ms. */
export interface CustomerState {
  /** The payment method for purchases; null: none. */
  readonly paymentMethod: string | null
  /** The one that counts; null: there has never been one. */
  readonly subscription: SubscriptionState | null
}

export interface SubscriptionState {
  readonly id: string
  /** null: its price is none of ours. */
  readonly plan: PaidPlan | null
  /** `past_due`: the last payment failed, and the subscription goes on. `ended`: it grants nothing any more. */
  readonly status: 'trialing' | 'active' | 'past_due' | 'ended'
  readonly trialEndsAt: number | null
  readonly periodStart: number
  readonly periodEnd: number
  /** A time at which a paid month begins. */
  readonly anchor: number
  /** When it ends by the customer's wish; null: it renews. */
  readonly cancelAt: number | null
  /** When the first attempt at the open payment failed, or the subscription ended; null: it is paid. */
  readonly unpaidSince: number | null
}

/** `failed`: nothing is known to have happened. `reason` is for the log. `isFinal`: asking again does not help. */
export type Answered<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string; readonly isFinal: boolean }

export interface CheckoutRequest {
  readonly customer: string
  readonly plan: PaidPlan
  /** Days without payment at the beginning; 0: none. */
  readonly trialDays: number
  /** The subscription to change; null: a new one. */
  readonly subscription: string | null
  /** Where the customer returns to. */
  readonly returnUrl: string
}

export interface PaymentRequest {
  readonly customer: string
  readonly paymentMethod: string
  /** Idempotency key, unique among all organizations. */
  readonly key: string
  /** In major units, such as `11.08`. */
  readonly amount: string
  readonly currency: string
  readonly description: string
  /** An earlier request may have been fulfilled: look for it first. */
  readonly isRepeated: boolean
}

export type PaymentOutcome =
  | { readonly kind: 'charged'; readonly reference: string }
  /** `reason` is a sentence for the customer. */
  | { readonly kind: 'declined'; readonly reason: string }
  | { readonly kind: 'unsure'; readonly reason: string }

export interface RefundOrder {
  readonly reference: string
  /** Idempotency key. */
  readonly key: string
  /** In major units; null: all of it. */
  readonly part: { readonly amount: string; readonly currency: string } | null
}

/** Asks a provider. No function rejects. */
export interface PaymentProvider {
  /** Makes the customer of an organization, or finds the one that was made with the same reference. */
  createCustomer(organization: {
    readonly reference: string
    readonly name: string
    readonly email: string | null
  }): Promise<Answered<string>>
  read(customer: string): Promise<Answered<CustomerState>>
  /** URL of a page on which the customer subscribes or confirms another plan. */
  checkout(request: CheckoutRequest): Promise<Answered<string>>
  /** URL of the pages on which the customer changes cards, pays and cancels. */
  portal(customer: string, returnUrl: string): Promise<Answered<string>>
  pay(request: PaymentRequest): Promise<PaymentOutcome>
  /** The payment that was made with a key; null: none. */
  findPayment(customer: string, key: string): Promise<Answered<string | null>>
  /** Gives a payment, or a part of it, back, once. */
  refund(request: RefundOrder): Promise<Answered<null>>
}

/** Who bills: nobody, the fake for trials of integrators, or a provider. */
export type BillingMode =
  | { readonly kind: 'none' }
  | { readonly kind: 'fake' }
  | { readonly kind: 'stripe'; readonly provider: PaymentProvider }

export const NO_BILLING_MODE: BillingMode = { kind: 'none' }
