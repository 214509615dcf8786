// Decision D33: webhooks of Stripe, in any order, repeated, several at once, while Stripe does not answer.
import t from 'tap'
import { SYSTEM } from '../../../server/base/principal.ts'
import { startBilling } from '../../support/billing.ts'
import { forEachEngine } from '../../support/engines.ts'
import { sign } from '../../support/stripe.ts'

await forEachEngine(t, async (t, engine) => {
  const test = await startBilling(t, engine)
  const { stripe, store, core, clock, billing, checkout, hear, post, pass, settled, organization } = test
  await checkout('solo')
  const { customer, subscription } = stripe.completeCheckout()
  const begun = stripe.event('customer.subscription.created', { ...stripe.subscriptions.get(subscription) })
  const rows = (): Promise<{ id: string; applied_at: number | null }[]> =>
    store.read(({ sql }) =>
      sql.query((db) => db.selectFrom('billing_event').select(['id', 'applied_at']).orderBy('id')),
    )
  const paid = (id?: string) => stripe.event('invoice.paid', { object: 'invoice', customer }, id ? { id } : {})

  t.test('an event is stored before it is answered, and done once, however often it arrives', async (t) => {
    t.equal(await post(begun), 'stored')
    t.match(await rows(), [{ applied_at: null }])
    await settled()
    t.match(await billing(), { status: 'trialing', plan: 'solo' })
    const at = (await rows())[0]!.applied_at
    t.ok(at)
    const reads = stripe.requests.length
    clock.advance(60_000)
    t.equal(await post(begun), 'repeated')
    await settled()
    t.match(await rows(), [{ applied_at: at }])
    t.equal(stripe.requests.length, reads, 'nothing is read again')
  })

  t.test('an old event that arrives late takes nothing back', async (t) => {
    const old = stripe.event('customer.subscription.updated', { ...stripe.subscriptions.get(subscription) })
    stripe.change(subscription, { status: 'active' })
    await hear(paid())
    t.match(await billing(), { status: 'active' })
    await hear(old)
    t.match(await billing(), { status: 'active' }, 'the event says trialing')
    await hear(
      stripe.event('invoice.payment_failed', { object: 'invoice', customer }, { at: clock.now() - 86_400_000 + 1 }),
    )
    t.match(await billing(), { status: 'active', graceEndsAt: null })
  })

  t.test('two events at once, and the same one at two nodes, are each stored once', async (t) => {
    const before = (await rows()).length
    const [one, other] = [paid('evt_one'), paid('evt_other')]
    const answers = await Promise.all([post(one), post(one), post(other), post(other), post(one)])
    t.same(answers.toSorted(), ['repeated', 'repeated', 'repeated', 'stored', 'stored'])
    await settled()
    t.equal((await rows()).length, before + 2)
    t.ok((await rows()).every(({ applied_at: at }) => at !== null))
  })

  t.test('an event during a reading is read again', async (t) => {
    stripe.change(subscription, { status: 'past_due', latest_invoice: null })
    await post(paid('evt_a'))
    stripe.change(subscription, { status: 'active' })
    await post(paid('evt_b'))
    await settled()
    t.match(await billing(), { status: 'active' })
    t.ok((await rows()).every(({ applied_at: at }) => at !== null))
  })

  t.test('while Stripe does not answer events wait, and nothing changes', async (t) => {
    stripe.change(subscription, { cancel_at: Math.floor(clock.now() / 1000) + 86_400 })
    stripe.faults.push({ status: 500 }, 'lost', { status: 429 })
    await hear(paid('evt_waits'))
    t.match(await billing(), { status: 'active', cancelAt: null })
    t.match(
      (await rows()).find(({ id }) => id === 'evt_waits'),
      { applied_at: null },
    )
    for (const wait of [5_000, 30_000, 120_000]) {
      clock.advance(wait)
      await settled()
    }
    t.match(await billing(), { cancelAt: String })
    t.match(
      (await rows()).find(({ id }) => id === 'evt_waits'),
      { applied_at: Number },
    )
  })

  t.test('a lost event is made up for within a day', async (t) => {
    stripe.change(subscription, { cancel_at: null })
    await pass(1)
    t.match(await billing(), { cancelAt: null })
  })

  t.test('events that Stripe did not sign, or signed long ago, change nothing', async (t) => {
    const before = (await rows()).length
    const event = paid('evt_forged')
    const at = Math.floor(clock.now() / 1000)
    t.equal(await post({ ...event, signature: sign(event.body, at, 'whsec_other') }), 'wrong')
    t.equal(await post({ ...event, body: event.body.replace('evt_forged', 'evt_changed') }), 'wrong')
    t.equal(await post({ ...event, signature: '' }), 'wrong')
    t.equal(await post({ ...event, signature: sign(event.body, at - 301) }), 'wrong', 'older than the tolerance')
    t.equal(
      await post({
        ...event,
        signature: `${sign(event.body, at, 'whsec_other')},v1=${sign(event.body, at).split('v1=')[1]}`,
      }),
      'stored',
      'control: one of two signatures during a rotation',
    )
    t.equal(await post(stripe.event('invoice.paid', { object: 'invoice', customer: 'cus_of_another' })), 'foreign')
    t.equal(await post(stripe.event('product.updated', { object: 'product', id: 'prod_1' })), 'other')
    t.equal((await rows()).length, before + 1)
  })

  t.test('signed events of any version, or without what an event has, are answered', async (t) => {
    const before = (await rows()).length
    const at = Math.floor(clock.now() / 1000)
    const say = (event: unknown) => {
      const body = JSON.stringify(event)
      return post({ body, signature: sign(body, at) })
    }
    const type = 'invoice.paid'
    for (const event of [{}, [], 'x', 1, { type }, { type, data: null }, { type, data: { object: null } }, { type: 7 }])
      t.equal(await say(event), 'other', JSON.stringify(event))
    const object = { object: 'invoice', customer }
    t.equal(await say({ id: 'evt_thin', type, created: at }), 'other')
    t.equal(await say({ id: 7, type, created: at, data: { object } }), 'other')
    t.equal(await say({ id: 'evt_x', type, created: 'now', data: { object } }), 'other')
    for (const version of ['2011-01-01', '2025-03-31.basil', '2099-01-01.future', undefined]) {
      const event = { id: `evt_of_${version}`, type, created: at, api_version: version, data: { object } }
      t.equal(await say(event), 'stored', version ?? 'none')
      t.equal(await say(event), 'repeated')
    }
    t.equal(
      await say({ id: 'evt_expanded', type, created: at, data: { object: { ...object, customer: { id: customer } } } }),
      'stored',
    )
    await settled()
    t.equal((await rows()).length, before + 5)
  })

  t.test('two organizations have separate subscriptions', async (t) => {
    const other = await test.organizationWith('other.test')
    t.match(await billing(other.accountId), { status: 'none', plan: 'free' })
    t.match(await billing(), { status: 'active' })
    const events = await store.read(({ sql }) =>
      sql.query((db) => db.selectFrom('billing_event').select('organization')),
    )
    t.ok(events.every(({ organization: of }) => of === organization.account))
  })

  t.test('links asked for twice make one customer', async (t) => {
    const other = await test.organizationWith('third.test')
    const ask = () =>
      core.process(SYSTEM, {
        using: ['urn:posthouse:params:jmap:service'],
        methodCalls: [
          [
            'Billing/checkout',
            { accountId: other.accountId, plan: 'pro', returnUrl: 'https://a.example/', baseUrl: 'https://b.example' },
            '0',
          ],
        ],
      })
    stripe.faults.push('lost')
    t.match(await ask(), {
      methodResponses: [['Billing/checkout', { url: null, error: { type: 'serverUnavailable' } }, '0']],
    })
    const [one, two] = await Promise.all([ask(), ask()])
    t.match(one, { methodResponses: [['Billing/checkout', { url: String }, '0']] })
    t.match(two, { methodResponses: [['Billing/checkout', { url: String }, '0']] })
    t.equal([...stripe.customers.values()].length, 2, 'this one and that of the first organization')
  })
})
