import { BillingCheckout, BillingPortal } from '../../jmap/policy/billing/billing.type.ts'
import type { AnswerOf } from '../../jmap/type/method-declaration.ts'
import { BILLING_KINDS, PAID_PLANS, RETURN_URL_MAX_CHARS } from '../../server/base/billing-limits.ts'
import { PLAN_NAMES } from '../../server/base/sending-limits.ts'
import { call, get, onlyOne } from '../calls/jmap-calls.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { fromSetError } from '../errors/jmap-errors.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'

const TAG: Tag = {
  name: 'Billing',
  description: 'The subscription of the organization, and the pages on which it pays.',
}

const Billing = s.resource('Billing', 'billing', {
  provider: s.oneOf(BILLING_KINDS),
  plan: s.oneOf(PLAN_NAMES),
  status: s.oneOf(['none', 'trialing', 'active', 'past_due', 'suspended']),
  trial_ends_at: s.nullable(s.timestamp('null: no trial.')),
  period_start: s.timestamp(),
  period_end: s.timestamp(),
  payment_method: s.boolean('Whether purchases such as domains can be charged.'),
  cancel_at: s.nullable(s.timestamp('When the subscription ends; null: it renews.')),
  grace_ends_at: s.nullable(
    s.timestamp('When the mailboxes are suspended unless something is paid; null: nothing is owed.'),
  ),
})

const Link = s.resource('BillingLink', 'billing_link', {
  url: s.string({
    description: 'A page of the billing provider, for a browser.',
    examples: ['https://checkout.stripe.com/c/pay/cs_test_a1'],
  }),
})

const returnUrl = s.optional(
  s.string({
    minLength: 1,
    maxLength: RETURN_URL_MAX_CHARS,
    description: 'Where the customer returns to, an http(s):// URL. Default: the URL of this server.',
    examples: ['https://app.example.com/settings'],
  }),
)

export const getBilling = endpoint({
  method: 'GET',
  path: '/v1/billing',
  operationId: 'getBilling',
  tag: TAG,
  summary: 'Get the subscription of the organization',
  description:
    'Without a billing provider the status is `active`. `past_due`: a payment failed, and everything goes on until `grace_ends_at`. `suspended`: the mailboxes send nothing, and mail to them is deferred.',
  scope: 'billing:read',
  wholeOrganization: true,
  response: Billing,
  calls: ({ organization }) => ({ found: get('Billing', { accountId: organization, ids: null }) }),
  reply: ({ found }) => toSnake(Billing, onlyOne(found, 'subscription')),
})

export const startCheckout = endpoint({
  method: 'POST',
  path: '/v1/billing/checkout',
  operationId: 'startCheckout',
  tag: TAG,
  summary: 'Get a page on which the organization subscribes or changes its plan',
  description:
    'The first subscription begins with a trial of 14 days. `trial: false` pays the first month at once, and has the full limits at once. With a subscription the page confirms the other plan.',
  scope: 'billing:write',
  wholeOrganization: true,
  body: s.object({ plan: s.oneOf(PAID_PLANS), trial: s.optional(s.boolean()), return_url: returnUrl }),
  bodyExample: { plan: 'pro' },
  response: Link,
  errors: ['invalid_state', 'billing_not_configured'],
  calls: ({ organization, baseUrl, body: { plan, trial, return_url: given } }) => ({
    link: call(BillingCheckout, {
      accountId: organization,
      plan,
      ...(trial !== undefined && { trial }),
      returnUrl: given ?? baseUrl,
      baseUrl,
    }),
  }),
  reply: ({ link }) => linkOf(link),
})

export const openPortal = endpoint({
  method: 'POST',
  path: '/v1/billing/portal',
  operationId: 'openBillingPortal',
  tag: TAG,
  summary: 'Get pages on which the organization changes its card, pays and cancels',
  description: 'An organization that has never subscribed uses the checkout.',
  scope: 'billing:write',
  wholeOrganization: true,
  body: s.object({ return_url: returnUrl }),
  bodyExample: { return_url: 'https://app.example.com/settings' },
  response: Link,
  errors: ['invalid_state', 'billing_not_configured'],
  calls: ({ organization, baseUrl, body: { return_url: given } }) => ({
    link: call(BillingPortal, { accountId: organization, returnUrl: given ?? baseUrl, baseUrl }),
  }),
  reply: ({ link }) => linkOf(link),
})

function linkOf({ url, error }: Pick<AnswerOf<typeof BillingPortal>, 'url' | 'error'>) {
  if (error !== null) throw fromSetError(error, { fields: { returnUrl: 'return_url' } })
  return { object: 'billing_link' as const, url: url! }
}

export const billingEndpoints = [getBilling, startCheckout, openPortal]
