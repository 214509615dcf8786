/** A core that bills by a fake of Stripe, with the worker that settles and the webhook endpoint. */
import type { Test } from 'tap'
import { systemClock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { PLANS } from '../../server/base/sending-limits.ts'
import { openBilling } from '../../server/billing/billing-mode.ts'
import { createVerify } from '../../server/billing/stripe-signature.ts'
import { billingWorker } from '../../server/workers/billing.ts'
import { type Result, startCore, type TestCore } from './core.ts'
import type { EngineName } from './engines.ts'
import { type FakeStripe, type SignedEvent, STRIPE_KEY, STRIPE_PRICES, startStripe, WEBHOOK_SECRET } from './stripe.ts'

export const DAY = 86_400_000

export interface TestBilling extends TestCore {
  readonly stripe: FakeStripe
  /** The Billing object of the organization. */
  billing(accountId?: string): Promise<Result>
  usage(): Promise<Result>
  checkout(plan: string, more?: object): Promise<Result>
  /** Posts an event as the endpoint takes it. Resolves with the answer, without what follows. */
  post(event: SignedEvent): Promise<string>
  /** The same, and lets the worker settle. */
  hear(event: SignedEvent): Promise<void>
  /** Lets time go on day by day, with the worker. */
  pass(days: number): Promise<void>
  settled(): Promise<void>
}

/** @param more other parts of the core, such as a registrar */
export async function startBilling(
  t: Test,
  engine: EngineName = 'sqlite',
  more: Parameters<typeof startCore>[3] = {},
): Promise<TestBilling> {
  let now = () => 0
  const stripe = await startStripe(t, { now: () => now() })
  const plan = {
    kind: 'stripe',
    key: STRIPE_KEY,
    prices: STRIPE_PRICES,
    base: stripe.url,
    reach: { allowLoopback: true },
  } as const
  const { mode, close } = openBilling(plan, systemClock)
  t.teardown(close)
  const test = await startCore(t, engine, { plan: PLANS.free, hasPlanLimits: true }, { ...more, billing: mode })
  const { core, clock, organization, request } = test
  now = () => clock.now()
  const worker = billingWorker({ core, clock, logger: silentLogger })
  worker.start()
  t.teardown(() => worker.stop())
  const verify = createVerify(WEBHOOK_SECRET, clock)
  const one = async (name: string, args: object, accountId = organization.accountId): Promise<Result> => {
    const [answer] = await request([[name, { accountId, ...args } as never]])
    return answer![1]
  }
  const urls = { returnUrl: 'https://app.example.com/', baseUrl: 'http://127.0.0.1:8080' }
  const post = async ({ body, signature }: SignedEvent) => {
    const verified = await verify(Buffer.from(body), signature)
    return verified.kind === 'event' ? core.billing.receive(verified.event) : verified.kind
  }
  return {
    ...test,
    stripe,
    billing: async (accountId) => (await one('Billing/get', { ids: null }, accountId)).list[0],
    usage: () => one('Usage/get', {}),
    checkout: (plan, given = {}) => one('Billing/checkout', { plan, ...urls, ...given }),
    post,
    async hear(event) {
      await post(event)
      await worker.settled()
    },
    async pass(days) {
      for (let day = 0; day < days; day++) {
        clock.advance(DAY)
        await worker.settled()
      }
    },
    settled: () => worker.settled(),
  }
}
