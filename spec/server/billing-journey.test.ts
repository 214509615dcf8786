// Decision D33: an organization from its trial to its suspension and back, over HTTP, with a fake of Stripe.
import t from 'tap'
import { systemClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { PLANS } from '../../server/base/sending-limits.ts'
import { openBilling } from '../../server/billing/billing-mode.ts'
import { createVerify } from '../../server/billing/stripe-signature.ts'
import { FakeBillingPages } from '../../server/pages/billing/fake-billing-pages.ts'
import { StripeWebhook } from '../../server/pages/billing/stripe-webhook.ts'
import { billingWorker } from '../../server/workers/billing.ts'
import { outgoing } from '../jmap/delivery/support.ts'
import { DAY } from '../support/billing.ts'
import type { Result, TestCore } from '../support/core.ts'
import { startHttp } from '../support/http-server.ts'
import { type SignedEvent, STRIPE_KEY, STRIPE_PRICES, startStripe, WEBHOOK_SECRET } from '../support/stripe.ts'

t.test('the journey of a subscription', async (t) => {
  let test: TestCore | null = null
  const stripe = await startStripe(t, { now: () => test!.clock.now() })
  const plan = {
    kind: 'stripe',
    key: STRIPE_KEY,
    prices: STRIPE_PRICES,
    base: stripe.url,
    reach: { allowLoopback: true },
  } as const
  const { mode, close } = openBilling(plan, systemClock)
  t.teardown(close)
  // The mailbox of the test is made before the plan is that of a server with billing.
  const limits = { plan: { ...PLANS.free, mailboxes: 1 }, hasPlanLimits: true }
  const http = await startHttp(t, {
    limits,
    billing: mode,
    pages: (started) => {
      test = started
      return [new StripeWebhook({ core: started.core, verify: createVerify(WEBHOOK_SECRET, started.clock) })]
    },
  })
  const { core, clock, url } = http
  const worker = billingWorker({ core, clock, logger: silentLogger })
  worker.start()
  t.teardown(() => worker.stop())
  const scopes = ['billing:read', 'billing:write', 'usage:read', 'messages:write', 'messages:read', 'mailboxes:read']
  const { key } = await http.key({ scopes })
  const rest = async (method: string, path: string, body?: object): Promise<Result> => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(`${url}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, body: await answer.json() }
  }
  const send = () =>
    rest('POST', '/v1/messages', { from: http.alice.address, to: 'x@example.org', subject: 'Hi', text: 'Hi' })
  const receives = async () => (await core.recipients([http.alice.address]))[0]!.status
  const post = async ({ body, signature }: SignedEvent, headers: Record<string, string> = {}) => {
    const all = { 'stripe-signature': signature, 'content-type': 'application/json', ...headers }
    const { status } = await fetch(`${url}/billing/stripe/webhook`, { method: 'POST', headers: all, body })
    await worker.settled()
    return status
  }
  const pass = async (days: number) => {
    for (let day = 0; day < days; day++) {
      clock.advance(DAY)
      await worker.settled()
    }
  }
  let subscription = ''
  const change = (set: object, type: string) => {
    stripe.change(subscription, set)
    return stripe.event(type, { object: 'invoice', customer: 'cus_1' })
  }
  const letters = async () => (await outgoing(http)).filter(({ mailFrom }) => mailFrom === '').length

  t.equal((await rest('GET', '/v1/billing')).body.status, 'none')
  t.match(await send(), { status: 403, body: { error: { type: 'quota_exceeded' } } }, 'the free plan sends nothing')

  const link = await rest('POST', '/v1/billing/checkout', { plan: 'solo' })
  t.match(link, { status: 200, body: { url: /^https:\/\/checkout\.stripe\.test\// } })
  subscription = stripe.completeCheckout().subscription
  const begun = stripe.event('customer.subscription.created', stripe.subscriptions.get(subscription))
  t.equal(await post({ ...begun, signature: 't=1,v1=00' }), 400, 'a forged event')
  t.equal((await rest('GET', '/v1/billing')).body.status, 'none')
  t.equal(await post(begun), 200)
  t.equal(await post(begun), 200, 'once more')
  t.match((await rest('GET', '/v1/billing')).body, { status: 'trialing', plan: 'solo', payment_method: true })
  t.match((await rest('GET', '/v1/usage')).body, { plan: 'Solo trial', sends: { limit: 100 } })
  t.equal((await send()).status, 201)

  await pass(14)
  t.equal(await post(change({ status: 'active' }, 'invoice.paid')), 200)
  t.match((await rest('GET', '/v1/usage')).body, { plan: 'Solo', sends: { limit: 1_000 } }, 'full limits')
  await outgoing(http)

  await pass(30)
  t.equal(await post(change({ status: 'past_due' }, 'invoice.payment_failed')), 200)
  t.match((await rest('GET', '/v1/billing')).body, { status: 'past_due', grace_ends_at: String })
  t.equal(await letters(), 1)
  t.equal((await send()).status, 201, 'in the time of grace everything goes on')
  t.equal(await receives(), 'accepted')
  await outgoing(http)
  await pass(13)
  t.equal(await letters(), 2, 'on the days 7 and 13')
  await pass(1)
  t.match((await rest('GET', '/v1/billing')).body, { status: 'suspended' })
  t.match(await send(), { status: 403, body: { error: { type: 'authorization_error', code: 'sending_suspended' } } })
  t.equal(await receives(), 'suspended', 'mail is deferred for a week')
  t.match((await rest('GET', '/v1/mailboxes')).body.data, [{ suspended_at: String }])
  t.equal((await rest('GET', `/v1/mailboxes/${http.alice.accountId}/inbox/messages`)).status, 200, 'mail can be read')
  t.equal((await rest('POST', '/v1/billing/portal', {})).status, 200, 'and the organization can pay')

  t.equal(await post(change({ status: 'active' }, 'invoice.paid')), 200)
  t.match((await rest('GET', '/v1/billing')).body, { status: 'active', grace_ends_at: null })
  t.equal(await receives(), 'accepted')
  t.equal((await send()).status, 201)
  t.match((await rest('GET', '/v1/mailboxes')).body.data, [{ suspended_at: null }])

  t.equal((await fetch(`${url}/billing/stripe/webhook`)).status, 405)
  t.equal((await fetch(`${url}/billing/stripe/webhook`, { method: 'POST', body: '{}' })).status, 400, 'no signature')
  t.equal(await post({ body: 'x'.repeat(600_000), signature: 't=1,v1=00' }), 413)
})

t.test('the pages of the fake take a test card, and say why one is refused', async (t) => {
  const limits = { plan: { ...PLANS.free, mailboxes: 1 }, hasPlanLimits: true }
  const http = await startHttp(t, {
    limits,
    billing: { kind: 'fake' },
    pages: ({ core }) => [new FakeBillingPages({ core })],
  })
  const { key } = await http.key({ scopes: ['billing:read', 'billing:write'] })
  const rest = async (method: string, path: string, body?: object): Promise<Result> => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(`${http.url}/api${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return answer.json()
  }
  const pathOf = (url: string) => new URL(url).pathname
  const form = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(http.url + path, { method: 'POST', body: new URLSearchParams(fields) })
    return { status: answer.status, text: await answer.text() }
  }
  const link = await rest('POST', '/v1/billing/checkout', { plan: 'pro', return_url: 'https://app.example.com/?a="b' })
  const page = await (await fetch(http.url + pathOf(link.url))).text()
  t.match(page, /Subscribe to Pro[\s\S]*a trial of 14 days/)
  const refused = await form(pathOf(link.url), { action: 'subscribe', card: '4000 0000 0000 0002' })
  t.match(refused, { status: 422, text: /The card was declined\./ })
  t.equal((await rest('GET', '/v1/billing')).status, 'none')
  const done = await form(pathOf(link.url), { action: 'subscribe', card: '4242 4242 4242 4242' })
  t.match(done, { status: 200, text: /href="https:\/\/app\.example\.com\/\?a=&quot;b"/ })
  t.equal((await rest('GET', '/v1/billing')).status, 'trialing')
  const portal = pathOf((await rest('POST', '/v1/billing/portal', {})).url)
  t.match(await (await fetch(http.url + portal)).text(), /Pro, renews on[\s\S]*Cancel the subscription/)
  t.equal((await form(portal, { action: 'cancel' })).status, 200)
  t.match(await (await fetch(http.url + portal)).text(), /Pro, ends on[\s\S]*Keep the subscription/)
  t.equal((await form(portal, { action: 'steal' })).status, 422)
  t.equal((await fetch(`${http.url}/billing/fake/v1.any`)).status, 410)
  t.equal((await fetch(http.url + portal, { method: 'DELETE' })).status, 405)
})
