/** Opens what bills organizations, as the settings say. */
import { type BillingMode, NO_BILLING_MODE } from '../../jmap/type/billing-port.ts'
import type { PaidPlan } from '../base/billing-limits.ts'
import type { Clock } from '../base/clock.ts'
import type { ReachOptions } from '../egress/reach.ts'
import { Egress } from '../egress/safe-fetch.ts'
import { createStripe } from './stripe-client.ts'
import { StripeProvider } from './stripe-provider.ts'

export type BillingPlan =
  | { readonly kind: 'none' | 'fake' }
  | {
      readonly kind: 'stripe'
      /** Secret key of the API. */
      readonly key: string
      readonly prices: { readonly [plan in PaidPlan]: string }
      /** Stands for Stripe's API, without a slash at the end; null: Stripe's own. */
      readonly base: string | null
      readonly reach: ReachOptions
    }

export interface OpenedBilling {
  readonly mode: BillingMode
  close(): Promise<void>
}

/** It opens no connection before it is used. */
export function openBilling(plan: BillingPlan, clock: Clock): OpenedBilling {
  if (plan.kind !== 'stripe')
    return { mode: plan.kind === 'fake' ? { kind: 'fake' } : NO_BILLING_MODE, close: async () => {} }
  const { key, prices, base, reach } = plan
  const egress = new Egress({ clock, ...reach })
  const stripe = createStripe({ key, base, fetch: egress.fetch.bind(egress) })
  return { mode: { kind: 'stripe', provider: new StripeProvider({ stripe, prices }) }, close: () => egress.close() }
}
