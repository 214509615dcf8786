/** Handlers of Billing: the subscription of an organization, as it was last read at the provider (decision D33). */
import { isLimited } from '../../server/base/principal.ts'
import type { PlanName } from '../../server/base/sending-limits.ts'
import type { Reader } from '../../storage/ports.ts'
import { type BillingRow, findBilling, NO_BILLING } from '../../storage/repos/billing.ts'
import type { Billing } from '../policy/billing/billing.type.ts'
import { graceEnd } from '../policy/billing/transition.ts'
import { Organization } from '../policy/organization.type.ts'
import { planOf } from '../policy/plan.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext } from '../type/context.ts'
import { SINGLETON, SINGLETON_ID } from '../type/define-type.ts'
import type { ObjectOf } from '../type/derived.ts'
import type { Handlers } from '../type/handlers.ts'
import { pick } from '../type/methods/get.ts'
import { findStored } from '../type/object-store.ts'

/** Decision D31: keys that are limited to some mailboxes or domains have no access to billing. */
export function mayKnowBilling({ request }: MethodContext): boolean {
  return !isLimited(request.principal)
}

export const billingHandlers: Handlers<typeof Billing> = {
  mayKnow: (method) => mayKnowBilling(method),

  all: async ({ method }) => (mayKnowBilling(method) ? [SINGLETON] : []),

  async load({ method, reader }, { numbers, properties }) {
    if (!numbers.includes(SINGLETON) || !mayKnowBilling(method)) return new Map()
    return new Map([[SINGLETON, pick(await present(method, reader), properties)]])
  },
}

async function present({ services, account }: MethodContext, reader: Reader): Promise<ObjectOf<typeof Billing>> {
  const { limits, clock, billing } = services
  const organization = account.number
  const row = (await findBilling(reader, organization)) ?? NO_BILLING
  const own = await findStored(reader, organization, Organization, organization)
  const { period, trialEndsAt } = await planOf(reader, limits, organization, clock.now())
  const isSubscribed = row.subscription !== null && row.status !== 'none' && row.status !== 'ended'
  const date = (time: number | null) => (time === null ? null : formatUTCDate(time))
  const granted = own?.data.plan ?? null
  return {
    id: SINGLETON_ID,
    provider: billing.kind,
    plan: isSubscribed ? row.plan! : (granted ?? defaultPlan(limits.plan.name)),
    status: statusOf(row, granted !== null || billing.kind === 'none', trialEndsAt !== null),
    trialEndsAt: isSubscribed ? date(row.trial_ends_at) : trialEndsAt,
    periodStart: formatUTCDate((isSubscribed ? row.period_start : null) ?? period.start),
    periodEnd: formatUTCDate((isSubscribed ? row.period_end : null) ?? period.end),
    paymentMethod: row.has_payment_method === 1,
    cancelAt: date(row.cancel_at),
    graceEndsAt: date(graceEnd(row)),
  }
}

/** @param isGranted an administrator has given a plan, or nobody bills (decision D7) */
function statusOf(row: BillingRow, isGranted: boolean, isTrial: boolean): ObjectOf<typeof Billing>['status'] {
  if (row.suspended_at !== null) return 'suspended'
  if (row.subscription !== null && row.status !== 'ended') return row.status
  return isGranted ? (isTrial ? 'trialing' : 'active') : 'none'
}

/** The plan of a server without limits is called by what it would have. */
function defaultPlan(name: string): PlanName {
  const known = (['free', 'solo', 'pro', 'team'] as const).find((plan) => plan === name.toLowerCase())
  return known ?? 'team'
}
