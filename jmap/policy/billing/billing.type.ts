import { BILLING_KINDS, PAID_PLANS, RETURN_URL_MAX_CHARS } from '../../../server/base/billing-limits.ts'
import { PLAN_NAMES } from '../../../server/base/sending-limits.ts'
import type { SetError } from '../../protocol/set-error.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType, SINGLETON_ID } from '../../type/define-type.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'

export const BILLING_STATUSES = ['none', 'trialing', 'active', 'past_due', 'suspended'] as const

/** The subscription of an organization (decision D33). */
export const Billing = defineType({
  name: 'Billing',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: SINGLETON_ID,
  accounts: 'organization',
  methods: ['get', 'changes'],
  properties: {
    id: p.id().server().fixed(),
    provider: p.oneOf(BILLING_KINDS).server(),
    plan: p.oneOf(PLAN_NAMES).server(),
    status: p.oneOf(BILLING_STATUSES).server(),
    trialEndsAt: p.utcDate().nullable().server(),
    periodStart: p.utcDate().server(),
    periodEnd: p.utcDate().server(),
    /** Whether purchases can be charged. */
    paymentMethod: p.bool().server(),
    /** When the subscription ends by the customer's wish; null: it renews. */
    cancelAt: p.utcDate().nullable().server(),
    /** When the mailboxes are suspended unless the organization pays; null: nothing is owed. */
    graceEndsAt: p.utcDate().nullable().server(),
  },
  scopes: { read: 'billing:read', write: 'billing:write' },
})

const url = () => p.string({ minLength: 1, maxLength: RETURN_URL_MAX_CHARS })

/** A page of the provider; `error` and no URL: there is none. */
const LINK = { url: p.string().nullable(), error: p.json<SetError>({ type: 'object' }).nullable() } as const

const LINK_ARGS = {
  /** Where the customer returns to. */
  returnUrl: url(),
  /** URL of this server, for the pages of the fake. */
  baseUrl: url(),
} as const

/** Billing/checkout: a page on which the organization subscribes to a plan, or changes its plan. */
export const BillingCheckout = declareMethod({
  name: 'Billing/checkout',
  capability: SERVICE,
  accounts: 'organization',
  scope: 'billing:write',
  writes: true,
  args: {
    plan: p.oneOf(PAID_PLANS),
    /** false: the first month is paid at once, and has the full limits. Only the first subscription has a trial. */
    trial: p.bool().defaults(true),
    ...LINK_ARGS,
  },
  answer: LINK,
})

/** Billing/portal: pages on which the organization changes its card, pays and cancels. */
export const BillingPortal = declareMethod({
  name: 'Billing/portal',
  capability: SERVICE,
  accounts: 'organization',
  scope: 'billing:write',
  writes: true,
  args: LINK_ARGS,
  answer: LINK,
})
