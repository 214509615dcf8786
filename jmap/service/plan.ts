/** What an organization's plan allows (api/decisions.md D27), and counting what it sends. */
import type { Plan } from '../../server/base/sending-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { keepSends, sendsOf } from '../../storage/repos/sending-usage.ts'
import { planLimitReached, type QuotaReached, type SetError } from '../protocol/errors.ts'

const WORDS: { readonly [resource in QuotaReached['resource']]: string } = {
  mailboxes: 'Mailbox',
  aliases: 'Alias',
  sends: 'Monthly send',
}

/** null: there is room for `wanted` more. */
export function planFault(
  plan: Plan,
  resource: QuotaReached['resource'],
  used: number,
  wanted: number,
): SetError | null {
  const limit = plan[resource]
  if (limit === null || used + wanted <= limit) return null
  return planLimitReached(WORDS[resource], { resource, used, limit, plan: plan.name })
}

/** D27: without a subscription the period is the calendar month, UTC. */
export function periodOf(now: number): string {
  return new Date(now).toISOString().slice(0, 'yyyy-mm'.length)
}

/** Inside, in the unit of the organization, whose lock makes this and `countSends` one step. */
export async function sendsFault(unit: AccountUnit, plan: Plan, count: number): Promise<SetError | null> {
  return planFault(plan, 'sends', await sendsOf(unit, unit.account, periodOf(unit.now)), count)
}

export async function countSends(unit: AccountUnit, count: number): Promise<void> {
  const period = periodOf(unit.now)
  await keepSends(unit, period, (await sendsOf(unit, unit.account, period)) + count)
}
