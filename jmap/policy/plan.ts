/** The limits of an organization's plan (decision D27), and the count of its sends. */
import { PLANS, type Plan, type PlanName, TRIAL_QUOTAS, UNLIMITED_PLAN } from '../../server/base/sending-limits.ts'
import type { AccountUnit, Reader } from '../../storage/ports.ts'
import { keepSends, sendsOf } from '../../storage/repos/sending-usage.ts'
import { planLimitReached, type QuotaReached, type SetError } from '../protocol/errors.ts'
import { epochOf } from '../protocol/primitives.ts'
import type { StoredOf } from '../type/derived.ts'
import type { Limits } from '../type/limits.ts'
import { findStored } from '../type/object-store.ts'
import { type Period, periodAt } from './billing-period.ts'
import { Organization } from './organization.type.ts'

/** Values of Organization that an administrator, or billing, sets. */
export type Subscription = Pick<StoredOf<typeof Organization>, 'plan' | 'trialEndsAt' | 'subscribedAt'>

export const NO_SUBSCRIPTION: Subscription = { plan: null, trialEndsAt: null, subscribedAt: null }

/** The plan of an organization at one time. */
export interface PresentPlan {
  readonly plan: Plan
  readonly period: Period
  readonly trialEndsAt: string | null
}

export type PlanLimits = Pick<Limits, 'plan' | 'hasPlanLimits'>

/** @param now epoch ms */
export async function planOf(
  reader: Reader,
  limits: PlanLimits,
  organization: number,
  now: number,
): Promise<PresentPlan> {
  const found = await findStored(reader, organization, Organization, organization)
  const { plan: name, trialEndsAt, subscribedAt } = found?.data ?? NO_SUBSCRIPTION
  const isTrial = name !== null && trialEndsAt !== null && epochOf(trialEndsAt) > now
  const period = periodAt(now, subscribedAt === null ? null : epochOf(subscribedAt))
  const plan = planNamed(limits, name, isTrial)
  return { plan, period, trialEndsAt: isTrial ? trialEndsAt : null }
}

function planNamed({ plan, hasPlanLimits }: PlanLimits, name: PlanName | null, isTrial: boolean): Plan {
  if (!hasPlanLimits) return UNLIMITED_PLAN
  if (name === null) return plan
  return isTrial ? { ...PLANS[name], ...TRIAL_QUOTAS, name: `${PLANS[name].name} trial` } : PLANS[name]
}

const WORDS: { readonly [resource in QuotaReached['resource']]: string } = {
  mailboxes: 'Mailbox',
  aliases: 'Alias',
  sends: 'Monthly send',
}

/** null: there is room for `wanted` more. */
function planFault(plan: Plan, resource: QuotaReached['resource'], used: number, wanted: number): SetError | null {
  const limit = plan[resource]
  if (limit === null || used + wanted <= limit) return null
  return planLimitReached(WORDS[resource], { resource, used, limit, plan: plan.name })
}

/** Inside the organization's unit of work: whether it may have one more. */
export async function roomFault(
  unit: AccountUnit,
  limits: PlanLimits,
  resource: 'mailboxes' | 'aliases',
  used: number,
): Promise<SetError | null> {
  const { plan } = await planOf(unit, limits, unit.account, unit.now)
  return planFault(plan, resource, used, 1)
}

/** Inside the organization's unit of work. Its lock makes this and `countSends` atomic. */
export async function sendsFault(
  unit: AccountUnit,
  { plan, period }: PresentPlan,
  count: number,
): Promise<SetError | null> {
  return planFault(plan, 'sends', await sendsOf(unit, unit.account, period.key), count)
}

/** Inside, in the unit of the organization: subtracts sends from the month in which they were counted. @param countedAt epoch ms */
export async function returnSends(
  unit: AccountUnit,
  limits: PlanLimits,
  countedAt: number,
  count: number,
): Promise<void> {
  const { period } = await planOf(unit, limits, unit.account, countedAt)
  const used = await sendsOf(unit, unit.account, period.key)
  // A subscription that began meanwhile counts by months of its own.
  if (used > 0) await keepSends(unit, period.key, Math.max(0, used - count))
}

export async function countSends(unit: AccountUnit, { period }: PresentPlan, count: number): Promise<void> {
  await keepSends(unit, period.key, (await sendsOf(unit, unit.account, period.key)) + count)
}
