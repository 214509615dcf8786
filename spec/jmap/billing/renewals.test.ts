// Decisions D7 and D33: what a bought domain costs each year, and the letters about it.
import t, { type Test } from 'tap'
import { systemClock } from '../../../server/base/clock.ts'
import { createDnsProviders } from '../../../server/dns-providers/create-dns-providers.ts'
import { Egress } from '../../../server/egress/safe-fetch.ts'
import { createRegistrar } from '../../../server/registrars/create-registrar.ts'
import { eventsOf } from '../../../storage/repos/events.ts'
import { DAY, startBilling } from '../../support/billing.ts'
import type { Result } from '../../support/core.ts'
import { workOnDomains } from '../../support/domain-work.ts'
import { type EngineName, forEachEngine } from '../../support/engines.ts'
import { createFakePorkbun, PORKBUN_KEYS } from '../../support/fake-porkbun.ts'
import { listenOnLoopback } from '../../support/loopback-server.ts'
import { outgoing, textOf } from '../delivery/support.ts'

const CONTACT = {
  ...{ firstName: 'Ada', lastName: 'Lovelace', address1: '12 St James Square', city: 'San Francisco', state: 'CA' },
  ...{ zip: '94105', country: 'US', phone: '+14155550100', email: 'ada@example.com' },
}

/** An organization with a card at Stripe, which buys at Porkbun. */
async function startShop(t: Test, engine: EngineName) {
  const egress = new Egress({ clock: systemClock, allowLoopback: true })
  t.teardown(() => egress.close())
  const fetch = egress.fetch.bind(egress)
  const porkbun = createFakePorkbun()
  const base = `http://127.0.0.1:${await listenOnLoopback(t, porkbun.server)}`
  const plan = { kind: 'porkbun', account: PORKBUN_KEYS.apiKey, key: PORKBUN_KEYS.secretKey, base } as const
  const zones = { own: null, isManual: false, nameServers: [], cloudflareBase: null, reach: { allowLoopback: true } }
  // Prices are remembered for an hour of the core's clock; requests take real time.
  let now = systemClock.now
  const clockOfShop = { ...systemClock, now: () => now() }
  const test = await startBilling(t, engine, {
    registrar: createRegistrar(plan, fetch, clockOfShop),
    dnsProviders: createDnsProviders(zones, { outside: fetch, inside: fetch }, systemClock),
  })
  const { core, clock, stripe, checkout, hear, organization, store } = test
  now = () => clock.now()
  porkbun.now = now
  await checkout('pro', { trial: false })
  const { customer } = stripe.completeCheckout()
  await hear(stripe.event('checkout.session.completed', { object: 'checkout.session', customer }))
  await test.mailbox('owner')
  const one = async (name: string, args: object): Promise<Result> => {
    const [answer] = await test.request([[name, { accountId: organization.accountId, ...args } as never]])
    return answer![1]
  }
  /** Letters since the last call. */
  const letters = async () => {
    const queued = (await outgoing(test)).filter(({ mailFrom }) => mailFrom === '')
    return queued.map((letter) => {
      const { header, body } = textOf(letter)
      return { subject: /Subject: (.*)/.exec(header)![1]!.trim(), body: body.replaceAll('=\r\n', '') }
    })
  }
  return {
    ...test,
    porkbun,
    letters,
    work: () => workOnDomains(core),
    /** Lets time go on by days, one at a time, with all that is due on each. */
    async live(days: number) {
      for (let day = 0; day < days; day++) {
        clock.advance(DAY)
        await workOnDomains(core)
      }
    },
    async buy(name: string): Promise<string> {
      const { registered, notRegistered } = await one('Domain/register', { name, contact: CONTACT })
      if (registered === null) throw new Error(JSON.stringify(notRegistered))
      await workOnDomains(core)
      return registered
    },
    autoRenew: (id: string, autoRenew: boolean) => one('Domain/set', { update: { [id]: { autoRenew } } }),
    errorOf: async (id: string) => (await one('Domain/get', { ids: [id] })).list[0].renewalError as string | null,
    destroy: (id: string) => one('Domain/set', { destroy: [id] }),
    payments: () => [...stripe.payments.values()].filter(({ status }) => status === 'succeeded').length,
    async events() {
      const all = await store.read((reader) => eventsOf(reader, organization.account))
      return all.filter(({ type }) => type.startsWith('domain.renew')).map(({ type }) => type)
    },
  }
}

await forEachEngine(t, async (t, engine) => {
  const shop = await startShop(t, engine)
  const { clock, stripe, porkbun, letters, work, live, buy, autoRenew, errorOf, destroy, payments, events } = shop
  const id = await buy('acme.com')
  const until = () => Math.round((porkbun.domains.get('acme.com')!.expireDate - clock.now()) / DAY)
  /** Until so many days before the expiry. */
  const liveUntil = async (days: number) => {
    clock.advance((until() - days - 1) * DAY)
    await live(1)
  }

  /** Before the expiry. */
  const DAYS = [31, 30, 29, 15, 14, 13, 4, 3, 2, 1]

  t.test('a renewal is announced a week before it is charged, with its date and price, once', async (t) => {
    await liveUntil(38)
    t.same(await letters(), [])
    await live(1)
    const renewedOn = new Date(clock.now() + 7 * DAY).toISOString().slice(0, 10)
    const [letter, ...more] = await letters()
    t.equal(letter!.subject, `acme.com will be renewed on ${renewedOn}`)
    t.match(letter!.body, /charged then\. A year costs 12\.50 USD\./)
    t.same(more, [])
    await live(6)
    t.equal(payments(), 1, 'not charged before')
    await live(1)
    t.equal(payments(), 2)
    t.equal(until(), 395)
    t.same(await letters(), [], 'a renewal that succeeds needs no letter')
  })

  t.test('a renewal that fails is reported 30, 14 and 3 days before the expiry, once each', async (t) => {
    await liveUntil(36)
    await letters()
    stripe.declines = true
    const subjects: { [day: number]: string } = {}
    for (const day of DAYS) {
      await liveUntil(day)
      for (const { subject, body } of await letters()) {
        subjects[day] = subject
        t.match(body, /The reason: Your card was declined\..*A year costs 12\.50 USD\..*billing portal/s)
      }
    }
    const day = new Date(porkbun.domains.get('acme.com')!.expireDate).toISOString().slice(0, 10)
    const subject = `acme.com expires on ${day} and could not be renewed`
    t.same(subjects, { 30: subject, 14: subject, 3: subject })
    t.same(await events(), ['domain.renewed', 'domain.renewal_failed'], 'and one event')
    stripe.declines = false
    await live(1)
    t.ok(until() > 300, 'another attempt pays')
    t.same(await letters(), [])
  })

  t.test('a domain that is not renewed is written about too, and not about one that is gone', async (t) => {
    const other = await buy('other.com')
    await autoRenew(id, false)
    await autoRenew(other, false)
    await destroy(other)
    await liveUntil(35)
    t.same(await letters(), [])
    const days: number[] = []
    for (const day of DAYS) {
      await liveUntil(day)
      for (const { subject, body } of await letters()) {
        days.push(day)
        t.match(subject, /^acme\.com expires on .* and is not renewed$/)
        t.match(body, /switch its renewal on.*A year costs 12\.50 USD/s)
      }
    }
    t.same(days, [30, 14, 3])
  })

  t.test('after a stop of the server only the latest letter is written', async (t) => {
    await autoRenew(id, true)
    await work()
    t.ok(until() > 300, 'control: switched on again, it is renewed at once')
    await autoRenew(id, false)
    clock.advance((until() - 5) * DAY)
    await work()
    t.equal((await letters()).length, 1)
    await work()
    t.same(await letters(), [])
    await autoRenew(id, true)
    await work()
  })

  t.test('another card pays at once when the renewal is switched off and on', async (t) => {
    await liveUntil(31)
    stripe.declines = true
    await live(1)
    stripe.declines = false
    const before = payments()
    await autoRenew(id, false)
    await work()
    await autoRenew(id, true)
    await work()
    t.equal(payments(), before + 1)
    t.ok(until() > 300)
  })

  /** The next payment is made, and its answer does not arrive. */
  const loseAnswer = async (run: () => Promise<unknown>) => {
    stripe.befall = (method, path) => (method === 'POST' && path === '/v1/payment_intents' ? 'lost' : 'pass')
    await run()
    stripe.befall = () => 'pass'
  }
  /** Longer than a lost request may be under way. */
  const settle = async () => {
    clock.advance(200_000)
    await work()
  }

  t.test('a payment without an answer is given back when the renewal is switched off meanwhile', async (t) => {
    await liveUntil(31)
    const [paid, refunded] = [payments(), stripe.refunds.length]
    await loseAnswer(() => live(1))
    t.equal(payments(), paid + 1, 'control: it was charged')
    await autoRenew(id, false)
    await settle()
    t.equal(stripe.refunds.length, refunded + 1)
    await live(1)
    t.equal(payments(), paid + 1)
    t.equal(until(), 29)
  })

  t.test('a price that changes after a crash within a payment changes the next payment, not that one', async (t) => {
    const [paid, refunded] = [payments(), stripe.refunds.length]
    await autoRenew(id, true)
    await loseAnswer(work)
    // A crash leaves the row as it was before the attempt.
    const row = { attempts: 0, due_at: clock.now() }
    await shop.store.write([], ({ sql }) =>
      sql.query((db) => db.updateTable('domain_work').set(row).where('kind', '=', 'registration')),
    )
    porkbun.renewal = '13.50'
    clock.advance(3_700_000)
    await work()
    t.same([payments(), stripe.refunds.length], [paid + 1, refunded + 1], 'the registrar wants more: it is given back')
    await live(1)
    t.equal(payments(), paid + 2)
    t.match(porkbun.bought.at(-1), { kind: 'renew', cost: 1350 })
  })

  const renewals = () => porkbun.bought.filter(({ kind }) => kind === 'renew').length

  t.test(
    'a renewal that the registrar accepts and does not carry out is paid back, and not asked for again',
    async (t) => {
      await liveUntil(31)
      await letters()
      porkbun.isWithholding = true
      const [paid, refunded, ordered, told] = [payments(), stripe.refunds.length, renewals(), (await events()).length]
      await live(5)
      t.same([payments(), renewals(), stripe.refunds.length], [paid + 1, ordered + 1, refunded], 'it may still come')
      t.equal(await errorOf(id), null)
      await live(1)
      t.same([payments(), renewals(), stripe.refunds.length], [paid + 1, ordered + 1, refunded + 1])
      t.match(await errorOf(id), /accepted the order and did not carry it out/)
      t.same((await events()).slice(told), ['domain.renewal_failed'])
      const [letter, ...more] = await letters()
      t.match(letter!.subject, /^acme\.com expires on .* and could not be renewed$/)
      t.match(letter!.body, /did not carry it out.*payment was given back.*auto_renew.*to false, and then to true/s)
      t.same(more, [])
      await liveUntil(2)
      t.same([payments(), renewals()], [paid + 1, ordered + 1], 'a month later')
      t.equal((await letters()).length, 1, 'after a stop only the latest of the letters before the expiry')
    },
  )

  t.test('it is ordered again when the owner switches the renewal off and on', async (t) => {
    const [paid, ordered] = [payments(), renewals()]
    await autoRenew(id, false)
    await work()
    await autoRenew(id, true)
    await work()
    t.same([payments(), renewals()], [paid + 1, ordered + 1])
    const refunded = stripe.refunds.length
    await live(6)
    t.equal(stripe.refunds.length, refunded + 1, 'and paid back again')
    t.equal((await letters()).length, 1, 'with a letter of its own, after the last of the others')
  })

  t.test('a renewal that comes late costs nothing', async (t) => {
    const [paid, told] = [payments(), (await events()).length]
    porkbun.domains.get('acme.com')!.expireDate += 365 * DAY
    porkbun.isWithholding = false
    await live(1)
    t.equal(payments(), paid)
    t.same((await events()).slice(told), ['domain.renewed'])
    t.equal(await errorOf(id), null)
    await liveUntil(29)
    t.equal(payments(), paid + 1, 'control: the next one is charged')
    t.ok(until() > 300)
  })
})
