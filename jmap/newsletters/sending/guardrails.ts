/** What stops the sending of a newsletter that has begun (decisions D19, D26, D31). */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findReputation } from '../../../storage/repos/reputations.ts'
import { sendsOf } from '../../../storage/repos/sending-usage.ts'
import type { NewsletterTable } from '../../../storage/schema/tables.ts'
import { isVerifiedStatus } from '../../policy/domain/state.ts'
import { type PresentPlan, planOf } from '../../policy/plan.ts'
import type { Limits } from '../../type/limits.ts'
import { findDomain } from '../newsletter/newsletter-domain.ts'
import type { PausedReason } from '../run/run-state.ts'

/** Why it must pause; null: it may go on. */
export async function stopReason(
  unit: AccountUnit,
  limits: Limits,
  row: NewsletterTable,
): Promise<PausedReason | null> {
  const status = limits.reputation.isOn ? (await findReputation(unit, unit.account))?.status : undefined
  if (status === 'throttled' || status === 'suspended') return `reputation_${status}`
  const domain = await findDomain(unit, unit.account, row.domain)
  return domain && isVerifiedStatus(domain.data.status) && domain.data.status !== 'degraded' ? null : 'domain_degraded'
}

export interface SendsLeft {
  readonly plan: PresentPlan
  /** null: any number. */
  readonly left: number | null
}

/** Recipients that the plan still admits in this period. */
export async function sendsLeft(unit: AccountUnit, limits: Limits): Promise<SendsLeft> {
  const plan = await planOf(unit, limits, unit.account, unit.now)
  const { sends } = plan.plan
  const left = sends === null ? null : Math.max(0, sends - (await sendsOf(unit, unit.account, plan.period.key)))
  return { plan, left }
}
