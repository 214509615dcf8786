/** Billing/checkout and Billing/portal, vendor methods: pages of the provider on which an organization subscribes, pays and cancels. */
import { CHECKOUT_READ_MS, type PaidPlan } from '../../server/base/billing-limits.ts'
import { TRIAL_DAYS } from '../../server/base/sending-limits.ts'
import { type BillingRow, findBilling, NO_BILLING, requireBilling, updateBilling } from '../../storage/repos/billing.ts'
import { BillingCheckout, BillingPortal } from '../policy/billing/billing.type.ts'
import { Organization } from '../policy/organization.type.ts'
import { invalidProperties, MethodError, type SetError, setError } from '../protocol/errors.ts'
import type { Answered, PaymentProvider } from '../type/billing-port.ts'
import type { MethodContext } from '../type/context.ts'
import { implement } from '../type/method.ts'
import { findStored } from '../type/object-store.ts'
import { mayKnowBilling } from './billing.handlers.ts'
import { sealFakeLink } from './fake-link.ts'

type Link = { readonly url: string } | { readonly error: SetError }

export const checkoutMethod = implement(BillingCheckout, async (method, { plan, trial, returnUrl, baseUrl }) => {
  const row = await open(method)
  const error = faultOf(returnUrl) ?? checkoutFault(row, plan)
  if (error) return answer(method, { error })
  const trialDays = trial && row.had_trial === 0 ? TRIAL_DAYS : 0
  return answer(method, await checkout(method, row, { plan, trialDays, returnUrl, baseUrl }))
})

export const portalMethod = implement(BillingPortal, async (method, { returnUrl, baseUrl }) => {
  const { billing, keyring, clock } = method.services
  const row = await open(method)
  const error = faultOf(returnUrl) ?? (row.customer === null ? NEVER_SUBSCRIBED : null)
  if (error) return answer(method, { error })
  if (billing.kind === 'stripe')
    return answer(method, linkOf(method, await billing.provider.portal(row.customer!, returnUrl)))
  const link = { use: 'portal', organization: method.account.number, returnUrl } as const
  return answer(method, { url: sealFakeLink(keyring, baseUrl, link, clock.now()) })
})

const NEVER_SUBSCRIBED = setError('invalidState', 'The organization has never subscribed: use the checkout.')

interface Wanted {
  readonly plan: PaidPlan
  readonly trialDays: number
  readonly returnUrl: string
  readonly baseUrl: string
}

async function checkout(
  method: MethodContext,
  row: BillingRow,
  { plan, trialDays, returnUrl, baseUrl }: Wanted,
): Promise<Link> {
  const { billing, keyring, clock } = method.services
  if (billing.kind !== 'stripe') {
    const link = { use: 'checkout', organization: method.account.number, plan, trialDays, returnUrl } as const
    return { url: sealFakeLink(keyring, baseUrl, link, clock.now()) }
  }
  const { provider } = billing
  const customer = await requireCustomer(method, provider, row)
  if (customer.kind === 'failed') return linkOf(method, customer)
  const subscription = isRunning(row) ? row.subscription : null
  return linkOf(method, await provider.checkout({ customer: customer.value, plan, trialDays, subscription, returnUrl }))
}

/** @throws MethodError forbidden */
async function open(method: MethodContext): Promise<BillingRow> {
  if (!mayKnowBilling(method)) throw new MethodError('forbidden', 'The key is limited to some mailboxes or domains.')
  const { store } = method.services
  return (await store.read((reader) => findBilling(reader, method.account.number))) ?? NO_BILLING
}

function faultOf(returnUrl: string): SetError | null {
  const url = URL.parse(returnUrl)
  return url && /^https?:$/.test(url.protocol) ? null : invalidProperties(['returnUrl'], 'It is no http(s):// URL.')
}

/** An organization has one subscription: the checkout changes its plan. */
function checkoutFault(row: BillingRow, plan: PaidPlan): SetError | null {
  if (!isRunning(row) || row.plan !== plan) return null
  return setError(
    'invalidState',
    'The organization has this plan already: use the portal to pay or to change the card.',
  )
}

function isRunning({ status }: BillingRow): boolean {
  return status === 'trialing' || status === 'active' || status === 'past_due'
}

/** One customer for an organization, whatever happens: it is made with an idempotency key, and is durable before anybody is sent there. */
async function requireCustomer(
  method: MethodContext,
  provider: PaymentProvider,
  row: BillingRow,
): Promise<Answered<string>> {
  const { store } = method.services
  const { number, id: reference } = method.account
  let made: string | null = row.fake === null ? row.customer : null
  if (made === null) {
    const own = await store.read((reader) => findStored(reader, number, Organization, number))
    const name = own?.data.name ?? reference
    const answered = await provider.createCustomer({ reference, name, email: own?.data.ownerEmail ?? null })
    if (answered.kind === 'failed') return answered
    made = answered.value
  }
  const customer = made
  return store.write([number], async (work) => {
    const unit = work.account(number)
    const present = await requireBilling(unit)
    const due = unit.now + CHECKOUT_READ_MS
    const known = present.fake === null ? present.customer : null
    // Its event may be lost.
    await updateBilling(unit, {
      ...(known === null && { ...NO_BILLING, requested: present.requested, customer }),
      due_at: Math.min(known === null ? due : (present.due_at ?? due), due),
    })
    return { kind: 'done', value: known ?? customer }
  })
}

function linkOf({ services, account }: MethodContext, answered: Answered<string>): Link {
  if (answered.kind === 'done') return { url: answered.value }
  services.logger.warn({ organization: account.number, reason: answered.reason }, 'the billing provider gave no link')
  return { error: setError('serverUnavailable', 'The billing provider does not answer at present; try again.') }
}

/** Without billing there are no pages. */
function answer({ services, account }: MethodContext, link: Link) {
  const none: Link = { error: setError('billingNotConfigured', 'This server bills nobody.') }
  const given = services.billing.kind === 'none' ? none : link
  return {
    accountId: account.id,
    url: 'url' in given ? given.url : null,
    error: 'error' in given ? given.error : null,
  }
}
