/** `posthouse billing show|sync|checkout|portal|fake`: the subscription of an organization (decision D33). */
import { FAKE_CARD } from '../../jmap/policy/billing/fake-cards.ts'
import { BillingAdministration } from '../administration/billing-administration.ts'
import { PAID_PLANS, type PaidPlan } from '../base/billing-limits.ts'
import { Failure } from '../base/errors.ts'
import { isOneOf } from '../base/known-names.ts'
import { TRIAL_DAYS } from '../base/sending-limits.ts'
import { type Command, type Invocation, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { type CommandContext, chooseOrganization, withCore } from './with-core.ts'

export const billingShow: Command = {
  name: 'billing show',
  summary: "shows an organization's subscription",
  options: { organization: ORGANIZATION },
  async run(invocation) {
    await withCore(invocation, async ({ admin, core, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      await print(invocation, new BillingAdministration(core, organization), json)
    })
    return 0
  },
}

export const billingSync: Command = {
  name: 'billing sync',
  summary: "reads an organization's subscription at the billing provider now, and shows it",
  description: 'The server does the same after each webhook, and once a day.',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    await withCore(invocation, async ({ admin, core, config, json }) => {
      if (config.billing.kind === 'none') throw new Failure('configuration', 'this server bills nobody')
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const reason = await core.billing.settleNow(core.ids.accountNumber('organization', organization)!)
      if (reason !== null) throw new Failure('storageUnavailable', `the billing provider could not be read: ${reason}`)
      await print(invocation, new BillingAdministration(core, organization), json)
    })
    return 0
  },
}

async function print({ terminal }: Invocation, administration: BillingAdministration, json: boolean): Promise<void> {
  const { provider, plan, status, trialEndsAt, periodStart, periodEnd, paymentMethod, cancelAt, graceEndsAt } =
    await administration.show()
  const shown = {
    provider,
    plan,
    status,
    trial_ends_at: trialEndsAt,
    period_start: periodStart,
    period_end: periodEnd,
    payment_method: paymentMethod,
    cancel_at: cancelAt,
    grace_ends_at: graceEndsAt,
  }
  const method = paymentMethod ? 'a payment method' : 'no payment method'
  const until = cancelAt ? `, ends ${cancelAt}` : graceEndsAt ? `, suspended ${graceEndsAt}` : ''
  const line = `${status}: ${plan} until ${periodEnd}${until}, ${method} (${provider})\n`
  terminal.print(json ? `${JSON.stringify(shown)}\n` : line)
}

const RETURN_URL = { value: '<url>', help: 'where the customer returns to; default: base_url' } as const

export const billingCheckout: Command = {
  name: 'billing checkout',
  summary: `prints a link at which an organization subscribes to a plan: ${PAID_PLANS.join(', ')}`,
  positionals: '<plan>',
  options: { organization: ORGANIZATION, 'return-url': RETURN_URL },
  async run(invocation) {
    const plan = planIn(invocation.positionals)
    await withCore(invocation, async (context) => {
      const organization = await chooseOrganization(context.admin, optional(invocation, 'organization'))
      const urls = urlsOf(context, optional(invocation, 'return-url'))
      const url = await new BillingAdministration(context.core, organization).checkout(plan, urls)
      invocation.terminal.print(context.json ? `${JSON.stringify({ organization, url })}\n` : `${url}\n`)
    })
    return 0
  },
}

export const billingPortal: Command = {
  name: 'billing portal',
  summary: 'prints a link at which an organization changes its card, pays and cancels',
  options: { organization: ORGANIZATION, 'return-url': RETURN_URL },
  async run(invocation) {
    await withCore(invocation, async (context) => {
      const organization = await chooseOrganization(context.admin, optional(invocation, 'organization'))
      const urls = urlsOf(context, optional(invocation, 'return-url'))
      const url = await new BillingAdministration(context.core, organization).portal(urls)
      invocation.terminal.print(context.json ? `${JSON.stringify({ organization, url })}\n` : `${url}\n`)
    })
    return 0
  },
}

export const billingFake: Command = {
  name: 'billing fake',
  summary: 'gives an organization a subscription and a payment method, for servers with billing=fake',
  options: {
    organization: ORGANIZATION,
    plan: { value: '<plan>', help: `${PAID_PLANS.join(', ')}; default: pro` },
    card: { value: '<number>', help: `number of a test card of Stripe, or none; default: ${FAKE_CARD}` },
    trial: { help: `begin with a trial of ${TRIAL_DAYS} days` },
  },
  async run(invocation) {
    const plan = planIn([optional(invocation, 'plan') ?? 'pro'])
    const given = optional(invocation, 'card') ?? FAKE_CARD
    const card = given === 'none' ? null : given
    const trialDays = invocation.options['trial'] === true ? TRIAL_DAYS : 0
    await withCore(invocation, async ({ admin, core, config, json }) => {
      if (config.billing.kind === 'stripe') throw new Failure('configuration', 'this server bills by Stripe')
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const number = core.ids.accountNumber('organization', organization)!
      const reason = await core.billing.setFake(number, { plan, card, trialDays })
      if (reason !== null) throw new Failure('configuration', `the subscription was refused: ${reason}`)
      const { status } = await new BillingAdministration(core, organization).show()
      const done = { organization, plan, status, payment_method: card !== null }
      const line = `${organization}: ${status} on ${plan}, ${card === null ? 'no' : 'a'} payment method\n`
      invocation.terminal.print(json ? `${JSON.stringify(done)}\n` : line)
    })
    return 0
  },
}

function planIn([plan = '', ...more]: readonly string[]): PaidPlan {
  if (more.length > 0 || !isOneOf(PAID_PLANS, plan)) throw new UsageError(`a plan is needed: ${PAID_PLANS.join(', ')}`)
  return plan
}

function urlsOf({ config }: CommandContext, given: string | null): { returnUrl: string; baseUrl: string } {
  const { baseUrl } = config.hosting
  return { returnUrl: given ?? baseUrl, baseUrl }
}
