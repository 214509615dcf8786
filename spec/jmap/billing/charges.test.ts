// Decisions D7 and D33: payments for purchases are made once, whatever ends between.
import t from 'tap'
import type { ChargeRequest } from '../../../jmap/policy/billing/payment.ts'
import { startBilling } from '../../support/billing.ts'
import { forEachEngine } from '../../support/engines.ts'

await forEachEngine(t, async (t, engine) => {
  const test = await startBilling(t, engine)
  const { stripe, core, clock, checkout, hear, organization, store } = test
  const { charge, refund } = core.billing
  const buy = (key: string, more: Partial<ChargeRequest> = {}): ChargeRequest => ({
    organization: organization.account,
    key,
    amount: '11.08',
    currency: 'USD',
    item: 'example.com',
    description: 'example.com, 1 year',
    ...more,
  })
  const of = (key: string) => ({ organization: organization.account, key })

  t.test('without a payment method nothing is charged, and the key stays free', async (t) => {
    t.match(await charge(buy('first')), { kind: 'refused', code: 'no_payment_method' })
    t.equal(stripe.payments.size, 0)
    await checkout('pro')
    await hear(
      stripe.event('checkout.session.completed', {
        object: 'checkout.session',
        customer: stripe.completeCheckout().customer,
      }),
    )
    t.same(await charge(buy('first')), { kind: 'charged', isFree: false })
    t.match([...stripe.payments.values()], [{ amount: 1108, currency: 'usd', customer: 'cus_1', status: 'succeeded' }])
  })

  t.test('a repeated key charges nothing more, and is of one purchase', async (t) => {
    t.same(
      await Promise.all([charge(buy('first')), charge(buy('first'))]),
      Array(2).fill({ kind: 'charged', isFree: false }),
    )
    t.equal(stripe.payments.size, 1)
    await t.rejects(charge(buy('first', { amount: '12.00' })), /another charge/)
    await t.rejects(charge(buy('x', { amount: '12,00' })), /no charge/)
  })

  t.test('two calls at once charge once', async (t) => {
    const before = stripe.payments.size
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => charge(buy('at-once'))))
    t.ok(outcomes.every(({ kind }) => kind === 'charged'))
    t.equal(stripe.payments.size, before + 1)
  })

  t.test('after an answer is lost the same key charges nothing more, also when Stripe has forgotten it', async (t) => {
    for (const forgets of [false, true]) {
      const key = `lost-${forgets}`
      const before = stripe.payments.size
      await loseAnswer(() => charge(buy(key)))
      t.equal(stripe.payments.size, before + 1, 'Stripe has charged')
      if (forgets) stripe.forgetKeys()
      t.same(await charge(buy(key)), { kind: 'charged', isFree: false })
      t.equal(stripe.payments.size, before + 1)
    }
  })

  /** Runs a charge whose payment is made, though its answer is lost. */
  async function loseAnswer(run: () => Promise<{ kind: string }>) {
    // The payment method is read by two requests before.
    stripe.faults.push('pass', 'pass', 'lost')
    const outcome = await run()
    if (outcome.kind !== 'unsure') throw new Error(`not unsure but ${outcome.kind}`)
  }

  t.test('another card in between does not charge twice', async (t) => {
    const before = stripe.payments.size
    await loseAnswer(() => charge(buy('card')))
    const [one] = [...stripe.subscriptions.values()]
    stripe.change(one.id, { default_payment_method: 'pm_other' })
    t.same(await charge(buy('card')), { kind: 'charged', isFree: false })
    t.equal(stripe.payments.size, before + 1)
  })

  t.test('a declined card is final for its key', async (t) => {
    stripe.declines = true
    const declined = { kind: 'refused', code: 'payment_failed', reason: 'Your card was declined.' }
    t.same(await charge(buy('declined')), declined)
    stripe.declines = false
    t.same(await charge(buy('declined')), declined)
    t.same(await refund(of('declined')), { kind: 'nothing' })
    t.match(await charge(buy('another')), { kind: 'charged' }, 'control')
  })

  t.test('a charge is given back once', async (t) => {
    t.same(await Promise.all([refund(of('another')), refund(of('another'))]), Array(2).fill({ kind: 'refunded' }))
    stripe.forgetKeys()
    t.same(await refund(of('another')), { kind: 'refunded' })
    t.equal(stripe.refunds.length, 1)
    t.match(await charge(buy('another')), { kind: 'refused', code: 'payment_failed' })
  })

  t.test('a refund whose answer is lost is repeated, and gives back once', async (t) => {
    await charge(buy('twice'))
    stripe.faults.push('lost')
    t.match(await refund(of('twice')), { kind: 'unsure' })
    stripe.forgetKeys()
    t.same(await refund(of('twice')), { kind: 'refunded' })
    t.equal(stripe.refunds.length, 2)
  })

  t.test(
    'a part of a charge is given back once, also when the answer is lost and Stripe has forgotten the key',
    async (t) => {
      for (const forgets of [false, true]) {
        const key = `part-${forgets}`
        await charge(buy(key, { amount: '30.00' }))
        const part = { ...of(key), amount: '12.50' }
        // First it looks for a refund that was made.
        stripe.faults.push('pass', 'lost')
        t.match(await refund(part), { kind: 'unsure' })
        if (forgets) stripe.forgetKeys()
        t.same(await refund(part), { kind: 'refunded' })
        t.same(await refund(part), { kind: 'refunded' })
        const payment = [...stripe.payments.values()].at(-1)!.id
        const given = stripe.refunds.filter(({ payment_intent: one }) => one === payment)
        t.same(
          given.map(({ amount }) => amount),
          [1250],
        )
      }
    },
  )

  t.test('what was never charged is given back by nothing, and is not charged later', async (t) => {
    const before = stripe.payments.size
    t.same(await refund(of('never')), { kind: 'nothing' })
    t.match(await charge(buy('never')), { kind: 'refused', code: 'payment_failed' })
    t.equal(stripe.payments.size, before)
  })

  t.test('a refund of a charge without an answer looks whether it was made', async (t) => {
    await loseAnswer(() => charge(buy('unsure')))
    t.match(await refund(of('unsure')), { kind: 'unsure' }, 'it may be under way')
    clock.advance(120_000)
    t.same(await refund(of('unsure')), { kind: 'refunded' })
    t.equal(stripe.refunds.at(-1).payment_intent, [...stripe.payments.keys()].at(-1))
  })

  t.test('currencies without decimals are charged in their units', async (t) => {
    t.match(await charge(buy('yen', { amount: '1500', currency: 'JPY' })), { kind: 'charged' })
    t.match([...stripe.payments.values()].at(-1), { amount: 1500, currency: 'jpy' })
    t.match(await charge(buy('half', { amount: '0.50', currency: 'JPY' })), { kind: 'refused' })
  })

  t.test('what Stripe is sent says nothing about this machine, and the store holds no key of Stripe', async (t) => {
    const names = new Set(stripe.requests.flatMap(({ headers }) => Object.keys(headers)))
    t.notOk(names.has('x-stripe-client-telemetry'))
    t.notOk(names.has('x-stripe-client-user-agent'))
    t.ok(stripe.requests.every(({ headers }) => headers['user-agent'] === 'Posthouse'))
    const rows = await store.read(({ sql }) => sql.query((db) => db.selectFrom('billing_charge').selectAll()))
    t.notMatch(JSON.stringify(rows), /sk_test/)
  })
})
