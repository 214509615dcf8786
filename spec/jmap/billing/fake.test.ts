// Decisions D31 and D33: the fake provider, with the numbers of Stripe's test cards.
import t from 'tap'
import { silentLogger } from '../../../server/base/logger.ts'
import { PLANS } from '../../../server/base/sending-limits.ts'
import { billingWorker } from '../../../server/workers/billing.ts'
import { type Result, startCore } from '../../support/core.ts'
import { outgoing } from '../delivery/support.ts'

const DAY = 86_400_000
const FAILS = '4000000000000341'
const PAYS = '4242424242424242'

t.test('the fake', async (t) => {
  const limits = { plan: { ...PLANS.free, mailboxes: 1 }, hasPlanLimits: true }
  const test = await startCore(t, 'sqlite', limits, { billing: { kind: 'fake' } })
  const { core, clock, organization, request } = test
  const worker = billingWorker({ core, clock, logger: silentLogger })
  worker.start()
  t.teardown(() => worker.stop())
  const pass = async (days: number) => {
    for (let day = 0; day < days; day++) {
      clock.advance(DAY)
      await worker.settled()
    }
  }
  const one = async (name: string, args: object): Promise<Result> => {
    const [answer] = await request([[name, { accountId: organization.accountId, ...args } as never]])
    return answer![1]
  }
  const billing = async () => (await one('Billing/get', { ids: null })).list[0]
  const urls = { returnUrl: 'https://app.example.com/', baseUrl: 'http://127.0.0.1:8080' }
  const act = async (method: string, args: object, action: Parameters<typeof core.billing.actOnFake>[1]) => {
    const { url } = await one(method, { ...args, ...urls })
    return core.billing.actOnFake(url.slice(url.lastIndexOf('/') + 1), action)
  }
  const letters = async () => (await outgoing(test)).filter(({ mailFrom }) => mailFrom === '').length
  const { charge } = core.billing
  const buy = (key: string, item = 'example.com') =>
    charge({ organization: organization.account, key, amount: '11.08', currency: 'USD', item, description: item })

  await test.mailbox('hello')

  t.test('a card that fails is found out when the trial ends', async (t) => {
    t.match(await buy('none'), { kind: 'refused', code: 'no_payment_method' })
    t.same(await act('Billing/checkout', { plan: 'solo' }, { kind: 'subscribe', card: FAILS }), {
      kind: 'done',
      returnUrl: urls.returnUrl,
    })
    t.match(await billing(), { status: 'trialing', plan: 'solo', paymentMethod: true })
    await pass(13)
    t.match(await billing(), { status: 'trialing' })
    await pass(1)
    t.match(await billing(), { status: 'past_due' })
    t.equal(await letters(), 1)
    await pass(14)
    t.match(await billing(), { status: 'suspended' })
    t.equal(await letters(), 2)
    t.match(await core.recipients(['hello@example.test']), [{ status: 'suspended' }])
  })

  t.test('another card in the portal pays what is open', async (t) => {
    t.match(await act('Billing/portal', {}, { kind: 'card', card: '4000000000000002' }), { kind: 'refused' })
    t.match(await billing(), { status: 'suspended' })
    t.match(await act('Billing/portal', {}, { kind: 'card', card: PAYS }), { kind: 'done' })
    t.match(await billing(), { status: 'active', graceEndsAt: null })
    t.match(await core.recipients(['hello@example.test']), [{ status: 'accepted' }])
    await pass(70)
    t.match(await billing(), { status: 'active' }, 'months go on')
  })

  t.test('a domain whose name begins with declined is not paid', async (t) => {
    t.same(await buy('a'), { kind: 'charged', isFree: false })
    t.match(await buy('b', 'declined-shop.com'), { kind: 'refused', code: 'payment_failed' })
    await act('Billing/portal', {}, { kind: 'card', card: FAILS })
    t.match(await buy('c'), { kind: 'refused', code: 'payment_failed' })
    t.same(await core.billing.refund({ organization: organization.account, key: 'a' }), { kind: 'refunded' })
  })

  t.test('a cancelled subscription ends with its month', async (t) => {
    await act('Billing/portal', {}, { kind: 'card', card: PAYS })
    t.match(await act('Billing/portal', {}, { kind: 'cancel' }), { kind: 'done' })
    const { cancelAt, periodEnd } = await billing()
    t.equal(cancelAt, periodEnd)
    await pass(Math.ceil((Date.parse(periodEnd) - clock.now()) / DAY))
    t.match(await billing(), { status: 'none', plan: 'free' })
  })

  t.test('without a trial the first month is paid before it begins', async (t) => {
    t.match(await act('Billing/checkout', { plan: 'team', trial: false }, { kind: 'subscribe', card: FAILS }), {
      kind: 'refused',
    })
    t.match(await billing(), { status: 'none' })
    t.match(await act('Billing/checkout', { plan: 'team' }, { kind: 'subscribe', card: PAYS }), { kind: 'done' })
    t.match(await billing(), { status: 'active', plan: 'team', trialEndsAt: null }, 'there was a trial before')
  })
})
