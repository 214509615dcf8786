/** Checks the signature of a webhook of Stripe by its library, and takes from the event what counts here. */
import type { BillingEvent } from '../../jmap/billing/receive-event.ts'
import { STRIPE_TOLERANCE_SECONDS } from '../base/billing-limits.ts'
import type { Clock } from '../base/clock.ts'
import { isRelevant } from './stripe-events.ts'

/** `wrong`: Stripe did not sign these octets lately. `other`: an event that changes nothing here. */
export type Verified = { readonly kind: 'event'; readonly event: BillingEvent } | { readonly kind: 'wrong' | 'other' }

export type Verify = (body: Uint8Array, signature: string) => Promise<Verified>

/** @param secret signing secret of the endpoint */
export function createVerify(secret: string, clock: Pick<Clock, 'now'>): Verify {
  return async (body, signature) => {
    const { default: Library } = await import('stripe')
    const event = (() => {
      try {
        const { webhooks } = Library
        return webhooks.constructEvent(body, signature, secret, STRIPE_TOLERANCE_SECONDS, undefined, clock.now())
      } catch {
        return null
      }
    })()
    if (event === null) return { kind: 'wrong' }
    // Of any version of the API: only these members count, and events without an object are others.
    const { id, type, created, data } = (event ?? {}) as unknown as RawEvent
    if (typeof type !== 'string' || typeof id !== 'string' || typeof created !== 'number') return { kind: 'other' }
    const customer = isRelevant(type) ? customerOf(data ?? {}) : null
    if (customer === null) return { kind: 'other' }
    return { kind: 'event', event: { id, type, happenedAt: created * 1_000, customer } }
  }
}

interface RawEvent {
  readonly id: unknown
  readonly type: unknown
  readonly created: unknown
  readonly data?: {
    readonly object?: { readonly object?: unknown; readonly id?: unknown; readonly customer?: unknown }
    readonly previous_attributes?: { readonly customer?: unknown }
  }
}

function customerOf({ object, previous_attributes: before }: NonNullable<RawEvent['data']>): string | null {
  // A detached payment method names its customer only in what it had before.
  const named = object?.object === 'customer' ? object.id : (object?.customer ?? before?.customer)
  if (typeof named === 'string') return named
  const expanded = typeof named === 'object' && named !== null && 'id' in named ? named.id : null
  return typeof expanded === 'string' ? expanded : null
}
