// Decisions D27 and D33: a year of a subscription at Stripe, by the clock. No live account is used.
import t from 'tap'
import { DAY, startBilling, type TestBilling } from '../../support/billing.ts'
import type { Result } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { outgoing, textOf } from '../delivery/support.ts'

/** Letters to the owner since the last call: their subjects, and the first lines of their texts. */
async function letters(test: TestBilling): Promise<string[]> {
  const queued = (await outgoing(test)).filter(({ mailFrom }) => mailFrom === '')
  return queued.map((one) => /Subject: (.*)/.exec(textOf(one).header)![1]!.trim())
}

await forEachEngine(t, async (t, engine) => {
  const test = await startBilling(t, engine)
  const { stripe, core, clock, billing, usage, checkout, hear, pass, request, organization } = test
  const seconds = () => Math.floor(clock.now() / 1000)
  let subscription = ''
  const set = (changes: object) => {
    stripe.change(subscription, changes)
    return stripe.subscriptions.get(subscription)
  }
  const month = (items: object = {}) => {
    const [item] = stripe.subscriptions.get(subscription).items.data
    const next = { ...item, current_period_start: seconds(), current_period_end: seconds() + 30 * 86_400, ...items }
    return { items: { object: 'list', data: [next] } }
  }
  const invoice = (status: string) => ({
    id: `in_${seconds()}`,
    object: 'invoice',
    status,
    created: seconds(),
    status_transitions: { finalized_at: seconds() },
  })
  const mailboxes = async () => {
    const { accountId } = organization
    const [answer] = await request([['MailAccount/get', { accountId, ids: null }]])
    return (answer as Result)[1].list as { suspendedAt: string | null }[]
  }

  /** Why no mailbox more is made. */
  const refusal = async (): Promise<Result> => {
    const create = { m: { domainId: test.domainId, localPart: 'more' } }
    const [answer] = await request([['MailAccount/set', { accountId: organization.accountId, create }]])
    return (answer as Result)[1].notCreated.m
  }

  t.test('before it there is the free plan: no mailboxes and no purchases', async (t) => {
    t.match(await billing(), { provider: 'stripe', status: 'none', plan: 'free', paymentMethod: false })
    t.match(await refusal(), { type: 'overQuota', quota: { plan: 'Free' } })
  })

  t.test('the trial has its limits for 14 days', async (t) => {
    t.match(await checkout('pro'), { url: /^https:\/\/checkout\.stripe\.test\//, error: null })
    const made = stripe.completeCheckout()
    subscription = made.subscription
    t.match(await billing(), { status: 'none' }, 'a link alone changes nothing')
    await hear(stripe.event('checkout.session.completed', { object: 'checkout.session', customer: made.customer }))
    const trialEndsAt = new Date(clock.now() + 14 * DAY).toISOString().replace('.000', '')
    t.match(await billing(), {
      status: 'trialing',
      plan: 'pro',
      trialEndsAt,
      periodEnd: trialEndsAt,
      paymentMethod: true,
    })
    t.match(await usage(), { plan: 'Pro trial', trialEndsAt, mailboxes: { limit: 3 }, sends: { limit: 100 } })
    await test.mailbox('hello')
    await pass(13)
    t.match(await usage(), { plan: 'Pro trial' })
  })

  t.test('the first payment brings the full limits and a month of its own', async (t) => {
    await pass(1)
    set({ status: 'active', ...month(), latest_invoice: invoice('paid') })
    await hear(stripe.event('invoice.paid', { object: 'invoice', customer: 'cus_1', subscription }))
    t.match(await billing(), { status: 'active', trialEndsAt: null })
    const start = new Date(clock.now()).toISOString().slice(0, 10)
    t.match(await usage(), { plan: 'Pro', sends: { used: 0, limit: 10_000 }, periodStart: `${start}T00:00:00Z` })
  })

  t.test('renewals go on for half a year', async (t) => {
    for (let i = 0; i < 6; i++) {
      await pass(30)
      set({ ...month(), latest_invoice: invoice('paid') })
      await hear(stripe.event('invoice.paid', { object: 'invoice', customer: 'cus_1', subscription }))
      t.match(await billing(), {
        status: 'active',
        periodStart: new Date(clock.now()).toISOString().replace('.000', ''),
      })
    }
    t.same(await letters(test), [])
  })

  t.test('a failed payment has a time of grace with letters on the days 0, 7 and 13', async (t) => {
    await pass(30)
    set({ status: 'past_due', ...month(), latest_invoice: invoice('open') })
    await hear(stripe.event('invoice.payment_failed', { object: 'invoice', customer: 'cus_1', subscription }))
    const graceEndsAt = new Date(clock.now() + 14 * DAY).toISOString().replace('.000', '')
    t.match(await billing(), { status: 'past_due', plan: 'pro', graceEndsAt })
    t.match(await usage(), { plan: 'Pro' }, 'the limits stay')
    t.same(await letters(test), ['A payment failed'])
    await pass(6)
    await hear(stripe.event('invoice.payment_failed', { object: 'invoice', customer: 'cus_1', subscription }))
    t.same(await letters(test), [], 'retries write no letters')
    await pass(1)
    const day = graceEndsAt.slice(0, 10)
    t.same(await letters(test), [`A payment is still open: mailboxes are suspended on ${day}`])
    await pass(5)
    t.same(await letters(test), [])
    await pass(1)
    t.same(await letters(test), [`A payment is still open: mailboxes are suspended on ${day}`])
    t.match(await mailboxes(), [{ suspendedAt: null }], 'on day 13 mail is still sent and received')
  })

  t.test('then the mailboxes are suspended', async (t) => {
    await pass(1)
    t.match(await billing(), { status: 'suspended', plan: 'pro', graceEndsAt: null })
    t.match(await mailboxes(), [{ suspendedAt: String }])
    t.match(await usage(), { plan: 'Free' })
    t.match(await core.recipients(['hello@example.test']), [{ status: 'suspended' }])
    t.same(await letters(test), [])
    await pass(3)
    t.match(await billing(), { status: 'suspended' })
    t.same(await letters(test), [], 'nothing more is written')
  })

  t.test('a payment brings all of it back', async (t) => {
    set({ status: 'active', latest_invoice: invoice('paid') })
    await hear(stripe.event('invoice.paid', { object: 'invoice', customer: 'cus_1', subscription }))
    t.match(await billing(), { status: 'active', plan: 'pro' })
    t.match(await mailboxes(), [{ suspendedAt: null }])
    t.match(await core.recipients(['hello@example.test']), [{ status: 'accepted' }])
    t.match(await usage(), { plan: 'Pro' })
  })

  t.test('a smaller plan has its limits at once; what there is stays', async (t) => {
    for (const name of ['b', 'c', 'd', 'e']) await test.mailbox(name)
    set(month({ price: { id: 'price_solo' } }))
    await hear(stripe.event('customer.subscription.updated', stripe.subscriptions.get(subscription)))
    t.match(await usage(), { plan: 'Solo', mailboxes: { used: 5, limit: 3 } })
    t.match(await core.recipients(['e@example.test']), [{ status: 'accepted' }])
    t.match(await refusal(), { type: 'overQuota', quota: { used: 5, limit: 3, plan: 'Solo' } })
    set(month({ price: { id: 'price_team' } }))
    await hear(stripe.event('customer.subscription.updated', stripe.subscriptions.get(subscription)))
    t.match(await usage(), { plan: 'Team', mailboxes: { used: 5, limit: 50 } })
    set(month({ price: { id: 'price_of_something_else' } }))
    await hear(stripe.event('customer.subscription.updated', stripe.subscriptions.get(subscription)))
    t.match(await usage(), { plan: 'Team' }, 'an unknown price changes nothing')
  })

  t.test('a cancelled subscription lasts until its month ends, and the mailboxes 14 days longer', async (t) => {
    const end = seconds() + 20 * 86_400
    set({ cancel_at_period_end: true, cancel_at: end })
    await hear(stripe.event('customer.subscription.updated', stripe.subscriptions.get(subscription)))
    t.match(await billing(), { status: 'active', cancelAt: new Date(end * 1000).toISOString().replace('.000', '') })
    await pass(20)
    set({ status: 'canceled', canceled_at: end, ended_at: end })
    await hear(stripe.event('customer.subscription.deleted', stripe.subscriptions.get(subscription)))
    t.match(await billing(), { status: 'none', plan: 'free', cancelAt: null })
    t.match(await usage(), { plan: 'Free' })
    t.match(await core.recipients(['hello@example.test']), [{ status: 'accepted' }], 'mail still arrives')
    t.same(await letters(test), ['Your subscription has ended'])
    await pass(13)
    t.equal((await letters(test)).length, 2)
    await pass(1)
    t.match(await billing(), { status: 'suspended' })
    t.match(await core.recipients(['hello@example.test']), [{ status: 'suspended' }])
  })

  t.test('a new subscription has no trial, and brings the mailboxes back', async (t) => {
    await checkout('team')
    const { customer, subscription: next } = stripe.completeCheckout()
    t.equal(stripe.subscriptions.get(next).trial_end, null)
    await hear(stripe.event('checkout.session.completed', { object: 'checkout.session', customer }))
    t.match(await billing(), { status: 'active', plan: 'team', trialEndsAt: null })
    t.ok((await mailboxes()).every(({ suspendedAt }) => suspendedAt === null))
  })
})
