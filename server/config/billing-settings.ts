/** Who bills organizations (decisions D27, D31 and D33). The keys of Stripe are in Secrets. */
import { BILLING_KINDS, type BillingKind, PAID_PLANS, type PaidPlan } from '../base/billing-limits.ts'
import type { SettingReader } from './setting-reader.ts'

export interface BillingSettings {
  readonly kind: BillingKind
  /** Of `stripe`: ids of the prices of the plans. */
  readonly prices: { readonly [plan in PaidPlan]: string } | null
  /** Stands for Stripe's API in dev mode, without a slash at the end; null: Stripe's own. */
  readonly stripeUrl: string | null
}

const PRICE = /^price_[A-Za-z0-9]{1,100}$/

export function readBilling(read: SettingReader, dev: boolean): BillingSettings {
  const kind = read.oneOf('billing', BILLING_KINDS) ?? 'none'
  if (kind === 'fake' && !dev) read.refuse('billing', 'the fake is for dev mode: nobody pays')
  const stripeUrl = read.origin('stripe_url')
  // The secret key is sent there.
  if (stripeUrl !== null && !dev) read.refuse('stripe_url', 'it is for dev mode')
  const prices = readPrices(read)
  if (kind === 'stripe')
    for (const name of ['stripe_secret_key', 'stripe_webhook_secret', 'stripe_prices'] as const)
      if (read.text(name) === null) read.refuse('billing', `stripe needs ${name} too`)
  return { kind, prices, stripeUrl }
}

/** `solo=price_1,pro=price_2,team=price_3` */
function readPrices(read: SettingReader): BillingSettings['prices'] {
  const text = read.text('stripe_prices')
  if (text === null) return null
  const pairs = text.split(',').map((part) => part.trim().split('='))
  const prices = Object.fromEntries(pairs.map(([plan = '', price = '']) => [plan, price]))
  const isWhole = PAID_PLANS.every((plan) => PRICE.test(prices[plan] ?? ''))
  const isDistinct = new Set(Object.values(prices)).size === PAID_PLANS.length
  if (isWhole && isDistinct && pairs.length === PAID_PLANS.length && pairs.every((pair) => pair.length === 2))
    return prices as { [plan in PaidPlan]: string }
  read.refuse('stripe_prices', 'must be a price of Stripe for each plan: solo=price_...,pro=price_...,team=price_...')
  return null
}
