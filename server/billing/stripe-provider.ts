/** Subscriptions and payments at Stripe. Every request that changes something has an idempotency key. */
import type Stripe from 'stripe'
import type {
  Answered,
  CheckoutRequest,
  CustomerState,
  PaymentOutcome,
  PaymentProvider,
  PaymentRequest,
  RefundOrder,
} from '../../jmap/type/billing-port.ts'
import { minorUnits } from './minor-units.ts'
import type { StripeSource } from './stripe-client.ts'
import { declinedBy, hasCode, isFinal, reasonOf } from './stripe-errors.ts'
import { customerState, type Prices } from './stripe-objects.ts'

/** Metadata by which a payment is found again. */
const KEY = 'posthouse_key'
const ORGANIZATION = 'posthouse_organization'

/** Subscriptions of a customer that are read; payments that are searched for a key, the newest first. */
const SUBSCRIPTIONS_MAX = 100
const PAYMENTS_MAX = 300

export interface StripeProviderOptions {
  readonly stripe: StripeSource
  readonly prices: Prices
}

export class StripeProvider implements PaymentProvider {
  readonly #stripe: StripeSource
  readonly #prices: Prices

  constructor({ stripe, prices }: StripeProviderOptions) {
    this.#stripe = stripe
    this.#prices = prices
  }

  createCustomer({ reference, name, email }: Parameters<PaymentProvider['createCustomer']>[0]) {
    return this.#ask(async (stripe) => {
      const customer = await stripe.customers.create(
        { name, ...(email !== null && { email }), metadata: { [ORGANIZATION]: reference } },
        { idempotencyKey: `customer/${reference}` },
      )
      return customer.id
    })
  }

  read(customer: string): Promise<Answered<CustomerState>> {
    return this.#ask(async (stripe) => {
      const found = await stripe.customers.retrieve(customer)
      if (found.deleted) return { paymentMethod: null, subscription: null }
      const { data } = await stripe.subscriptions.list({
        customer,
        status: 'all',
        limit: SUBSCRIPTIONS_MAX,
        expand: ['data.latest_invoice'],
      })
      return customerState(found, data, this.#prices)
    })
  }

  checkout({ customer, plan, trialDays, subscription, returnUrl }: CheckoutRequest): Promise<Answered<string>> {
    const price = this.#prices[plan]
    return this.#ask(async (stripe) => {
      if (subscription !== null) return this.#changePlan(stripe, customer, subscription, price, returnUrl)
      const session = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        line_items: [{ price, quantity: 1 }],
        success_url: returnUrl,
        cancel_url: returnUrl,
        ...(trialDays > 0 && { subscription_data: { trial_period_days: trialDays } }),
      })
      return requireUrl(session.url)
    })
  }

  /** The customer confirms the other price in the portal. */
  async #changePlan(stripe: Stripe, customer: string, subscription: string, price: string, returnUrl: string) {
    const { items } = await stripe.subscriptions.retrieve(subscription)
    const item = items.data[0]!.id
    const session = await stripe.billingPortal.sessions.create({
      customer,
      return_url: returnUrl,
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription, items: [{ id: item, price, quantity: 1 }] },
        after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
      },
    })
    return requireUrl(session.url)
  }

  portal(customer: string, returnUrl: string): Promise<Answered<string>> {
    return this.#ask(async (stripe) => {
      const session = await stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })
      return requireUrl(session.url)
    })
  }

  async pay({ isRepeated, ...request }: PaymentRequest): Promise<PaymentOutcome> {
    const { customer, paymentMethod, key, amount, currency, description } = request
    const minor = minorUnits(amount, currency)
    if (minor === null) return { kind: 'declined', reason: `${currency} has no amount of ${amount}.` }
    try {
      const stripe = await this.#stripe()
      // Stripe forgets idempotency keys after a day; the payment stays.
      const made = isRepeated ? await find(stripe, customer, key) : null
      return outcomeOf(
        made ??
          (await stripe.paymentIntents.create(
            {
              customer,
              payment_method: paymentMethod,
              amount: minor,
              currency: currency.toLowerCase(),
              description,
              off_session: true,
              confirm: true,
              metadata: { [KEY]: key },
            },
            { idempotencyKey: key },
          )),
      )
    } catch (error) {
      const declined = declinedBy(error)
      if (declined !== null) return { kind: 'declined', reason: declined }
      if (isFinal(error)) return { kind: 'declined', reason: 'The payment could not be made.' }
      return { kind: 'unsure', reason: reasonOf(error) }
    }
  }

  findPayment(customer: string, key: string): Promise<Answered<string | null>> {
    return this.#ask(async (stripe) => {
      const found = await find(stripe, customer, key)
      if (found?.status === 'processing') throw new Error('the payment is not decided yet')
      return found?.status === 'succeeded' ? found.id : null
    })
  }

  refund({ reference, key, part }: RefundOrder): Promise<Answered<null>> {
    return this.#ask(async (stripe) => {
      // A whole refund is refused the second time. Of a part Stripe would make another one when it has forgotten the key.
      if (part !== null && (await isRefunded(stripe, reference))) return null
      const amount = part === null ? {} : { amount: minorUnits(part.amount, part.currency) ?? 0 }
      try {
        await stripe.refunds.create({ payment_intent: reference, ...amount }, { idempotencyKey: key })
      } catch (error) {
        if (!hasCode(error, 'charge_already_refunded')) throw error
      }
      return null
    })
  }

  async #ask<T>(run: (stripe: Stripe) => Promise<T>): Promise<Answered<T>> {
    try {
      return { kind: 'done', value: await run(await this.#stripe()) }
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error), isFinal: isFinal(error) }
    }
  }
}

async function find(stripe: Stripe, customer: string, key: string): Promise<Stripe.PaymentIntent | null> {
  let seen = 0
  // The list has what was made a moment ago; the search of Stripe has not.
  for await (const payment of stripe.paymentIntents.list({ customer, limit: 100 })) {
    if (payment.metadata[KEY] === key) return payment
    if (++seen === PAYMENTS_MAX) return null
  }
  return null
}

async function isRefunded(stripe: Stripe, reference: string): Promise<boolean> {
  const { data } = await stripe.refunds.list({ payment_intent: reference, limit: 100 })
  return data.some(({ status }) => status !== 'failed' && status !== 'canceled')
}

function outcomeOf({ id, status }: Stripe.PaymentIntent): PaymentOutcome {
  if (status === 'succeeded') return { kind: 'charged', reference: id }
  if (status === 'processing') return { kind: 'unsure', reason: 'the payment is not decided yet' }
  return { kind: 'declined', reason: 'The card was declined, or the payment needs a confirmation by its holder.' }
}

function requireUrl(url: string | null): string {
  if (url === null) throw new Error('Stripe answered without a URL')
  return url
}
