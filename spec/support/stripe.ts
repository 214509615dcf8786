/**
 * Stripe's API on loopback, as far as billing needs it, written from its documentation: customers, subscriptions, sessions of Checkout and of
 * the portal, payments, refunds, idempotency keys, and webhooks that are signed as Stripe signs them. Time comes from the clock that is given.
 */
import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { Clock } from '../../server/base/clock.ts'
import { listenOnLoopback } from './loopback-server.ts'

export const STRIPE_KEY = 'sk_test_secret1'
export const WEBHOOK_SECRET = 'whsec_secret1'
export const STRIPE_PRICES = { solo: 'price_solo', pro: 'price_pro', team: 'price_team' } as const

// biome-ignore lint/suspicious/noExplicitAny: objects of an API that the tests look into
type Any = any

export interface StripeRequest {
  readonly method: string
  readonly path: string
  readonly body: { readonly [name: string]: string }
  readonly key: string | undefined
  readonly headers: { readonly [name: string]: string | string[] | undefined }
}

/** `lost`: the request is fulfilled, but the answer does not arrive. `pass`: none. */
export type StripeFault = 'lost' | 'pass' | { readonly status: number; readonly error?: object }

export interface SignedEvent {
  readonly body: string
  readonly signature: string
}

export interface FakeStripe {
  readonly url: string
  readonly requests: StripeRequest[]
  /** What befalls the next requests, in order. */
  readonly faults: StripeFault[]
  readonly customers: Map<string, Any>
  readonly subscriptions: Map<string, Any>
  readonly payments: Map<string, Any>
  readonly refunds: Any[]
  /** Payments fail while it is set, and always those whose description begins with `declined`. */
  declines: boolean
  /** What befalls a request if nothing is in `faults`. */
  befall: (method: string, path: string) => StripeFault
  /** Waits before each request is fulfilled, and before each answer. */
  delay: () => Promise<unknown>
  /** Somebody fills in the page of the newest Checkout session. */
  completeCheckout(): { readonly customer: string; readonly subscription: string }
  change(subscription: string, set: object): void
  /** An event as Stripe posts it. @param at epoch ms, of the event and of the signature */
  event(type: string, object: Any, more?: { id?: string; at?: number; previous?: object }): SignedEvent
  /** Forgets idempotency keys, as Stripe does after a day. */
  forgetKeys(): void
}

const DAY = 86_400

/** Stopped after the test. */
export async function startStripe(t: Pick<Test, 'teardown'>, clock: Pick<Clock, 'now'>): Promise<FakeStripe> {
  const requests: StripeRequest[] = []
  const faults: StripeFault[] = []
  const customers = new Map<string, Any>()
  const subscriptions = new Map<string, Any>()
  const payments = new Map<string, Any>()
  const refunds: Any[] = []
  const sessions: Any[] = []
  const answers = new Map<string, { status: number; body: Any; hash: string }>()
  let count = 0
  const seconds = () => Math.floor(clock.now() / 1000)
  const id = (prefix: string) => `${prefix}_${++count}`
  const card = (message: string) => ({
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message,
  })
  const invalid = (message: string, code?: string) => ({
    type: 'invalid_request_error',
    message,
    ...(code && { code }),
  })

  function pay(body: Any): [number, Any] {
    if (!customers.has(body.customer)) return [400, { error: invalid(`No such customer: '${body.customer}'`) }]
    const isDeclined = stripe.declines || body.description?.startsWith('declined')
    const payment = {
      id: id('pi'),
      object: 'payment_intent',
      customer: body.customer,
      amount: Number(body.amount),
      currency: body.currency,
      payment_method: body.payment_method,
      description: body.description,
      status: isDeclined ? 'requires_payment_method' : 'succeeded',
      metadata: { posthouse_key: body['metadata[posthouse_key]'] },
    }
    payments.set(payment.id, payment)
    return isDeclined ? [402, { error: card('Your card was declined.') }] : [200, payment]
  }

  const refundsOf = (payment: unknown) => refunds.filter(({ payment_intent: one }) => one === payment)

  function refund(body: Any): [number, Any] {
    const { payment_intent } = body
    const whole = payments.get(payment_intent)?.amount ?? 0
    const left = whole - refundsOf(payment_intent).reduce((sum, one) => sum + one.amount, 0)
    if (left <= 0) return [400, { error: invalid('Charge has already been refunded.', 'charge_already_refunded') }]
    const amount = body.amount === undefined ? left : Number(body.amount)
    if (!(amount > 0 && amount <= left)) return [400, { error: invalid('Refund amount is wrong.') }]
    refunds.push({ id: id('re'), object: 'refund', payment_intent, amount, status: 'succeeded' })
    return [200, refunds.at(-1)]
  }

  function fulfil(method: string, path: string, query: URLSearchParams, body: Any): [number, Any] {
    const [, , kind = '', one, more] = path.split('/')
    const list = (data: readonly Any[]): [number, Any] => [200, { object: 'list', data, has_more: false, url: path }]
    const of = query.get('customer')
    if (method === 'POST' && path === '/v1/customers') {
      const customer = {
        id: id('cus'),
        object: 'customer',
        name: body.name,
        invoice_settings: { default_payment_method: null },
      }
      customers.set(customer.id, customer)
      return [200, customer]
    }
    if (method === 'GET' && kind === 'customers') {
      const found = customers.get(one!)
      return found ? [200, found] : [404, { error: invalid(`No such customer: '${one}'`, 'resource_missing') }]
    }
    if (method === 'GET' && kind === 'subscriptions') {
      if (one) return [200, subscriptions.get(one)]
      return list([...subscriptions.values()].filter(({ customer }) => customer === of).toReversed())
    }
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      const session = {
        ...body,
        id: id('cs'),
        object: 'checkout.session',
        url: `https://checkout.stripe.test/c/${count}`,
      }
      sessions.push(session)
      return [200, session]
    }
    if (method === 'POST' && path === '/v1/billing_portal/sessions')
      return [
        200,
        { ...body, id: id('bps'), object: 'billing_portal.session', url: `https://billing.stripe.test/p/${count}` },
      ]
    if (path === '/v1/payment_intents')
      return method === 'POST'
        ? pay(body)
        : list([...payments.values()].filter(({ customer }) => customer === of).toReversed())
    if (path === '/v1/refunds')
      return method === 'POST' ? refund(body) : list(refundsOf(query.get('payment_intent')).toReversed())
    return [404, { error: invalid(`Unrecognized request URL (${method}: ${path} ${more ?? ''})`) }]
  }

  /** The same key gives the same answer, and no other request may have it. */
  function once(key: string | undefined, sent: string, run: () => [number, Any]): [number, Any] {
    const known = key === undefined ? undefined : answers.get(key)
    if (known && known.hash !== sent) {
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with.'
      return [400, { error: { type: 'idempotency_error', message } }]
    }
    if (known) return [known.status, known.body]
    const [status, body] = run()
    if (key !== undefined) answers.set(key, { status, body, hash: sent })
    return [status, body]
  }

  const say = (response: ServerResponse, status: number, body: object) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${requests.length}` })
      .end(JSON.stringify(body))

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const sent = await text(request)
    const { pathname: path, searchParams } = new URL(url, 'http://stripe.test')
    const body = Object.fromEntries(new URLSearchParams(sent))
    const key = headers['idempotency-key'] as string | undefined
    requests.push({ method, path, body, key, headers })
    if (headers.authorization !== `Bearer ${STRIPE_KEY}`)
      return say(response, 401, { error: invalid('Invalid API Key provided: sk_test_****') })
    await stripe.delay()
    const fault = faults.shift() ?? stripe.befall(method, path)
    if (typeof fault === 'object')
      return say(response, fault.status, { error: fault.error ?? { type: 'api_error', message: 'Oops.' } })
    const [status, answer] = once(method === 'POST' ? key : undefined, `${path} ${sent}`, () =>
      fulfil(method, path, searchParams, body),
    )
    await stripe.delay()
    if (fault === 'lost') return response.destroy()
    return say(response, status, answer)
  })
  const port = await listenOnLoopback(t, server)

  function completeCheckout() {
    const session = sessions.at(-1)
    const trialDays = Number(session['subscription_data[trial_period_days]'] ?? 0)
    const start = seconds()
    const anchor = start + trialDays * DAY
    const method = id('pm')
    const subscription = {
      id: id('sub'),
      object: 'subscription',
      customer: session.customer,
      status: trialDays > 0 ? 'trialing' : 'active',
      start_date: start,
      billing_cycle_anchor: anchor,
      trial_end: trialDays > 0 ? anchor : null,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      default_payment_method: method,
      latest_invoice: null,
      items: {
        object: 'list',
        data: [
          {
            id: id('si'),
            price: { id: session['line_items[0][price]'] },
            current_period_start: start,
            current_period_end: trialDays > 0 ? anchor : start + 30 * DAY,
          },
        ],
      },
    }
    subscriptions.set(subscription.id, subscription)
    return { customer: session.customer as string, subscription: subscription.id }
  }

  const stripe: FakeStripe = {
    url: `http://127.0.0.1:${port}`,
    requests,
    faults,
    customers,
    subscriptions,
    payments,
    refunds,
    declines: false,
    befall: () => 'pass',
    delay: async () => {},
    completeCheckout,
    change: (one, set) => subscriptions.set(one, { ...subscriptions.get(one), ...set }),
    event(type, object, { id: given = id('evt'), at = clock.now(), previous } = {}) {
      const created = Math.floor(at / 1000)
      const data = { object, ...(previous && { previous_attributes: previous }) }
      const body = JSON.stringify({ id: given, object: 'event', type, created, api_version: '2020-08-27', data })
      return { body, signature: sign(body, created) }
    },
    forgetKeys: () => answers.clear(),
  }
  return stripe
}

/** docs.stripe.com/webhooks: the scheme v1. @param at epoch seconds */
export function sign(body: string, at: number, secret = WEBHOOK_SECRET): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
