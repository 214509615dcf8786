/** When an organization's reputation changes, and to which level (decision D26). Pure. */
import type { ReputationPolicy, ReputationRates } from '../../../server/base/sending-limits.ts'
import type { Tally } from '../../../storage/repos/sending-tally.ts'
import type { ReputationTable } from '../../../storage/schema/tables.ts'

export type ReputationStatus = ReputationTable['status']
export type ReputationState = Omit<ReputationTable, 'organization'>

export const NOTHING_SENT: Tally = { recipients: 0, bounces: 0, complaints: 0 }
export const HEALTHY: ReputationState = { status: 'healthy', since: 0, calm_since: null, released_at: null }

const LEVELS = ['healthy', 'warning', 'throttled', 'suspended'] as const satisfies readonly ReputationStatus[]

/** null: too few recipients for a rate. */
export function ratesOf({ recipients, bounces, complaints }: Tally, policy: ReputationPolicy): ReputationRates | null {
  if (recipients < policy.minRecipients) return null
  return { bounces: bounces / recipients, complaints: complaints / recipients }
}

function levelOf(rates: ReputationRates | null, policy: ReputationPolicy): ReputationStatus {
  if (rates === null) return 'healthy'
  const reaches = ({ bounces, complaints }: ReputationRates) =>
    rates.bounces >= bounces || rates.complaints >= complaints
  return (['suspended', 'throttled', 'warning'] as const).find((level) => reaches(policy[level])) ?? 'healthy'
}

/**
 * Upwards to any level whose rate is reached. Downwards only to healthy, after a calm time; from suspended only after its minimum time
 * or when an administrator has released the organization.
 */
export function nextState(
  state: ReputationState,
  tally: Tally,
  policy: ReputationPolicy,
  now: number,
): ReputationState {
  const level = levelOf(ratesOf(tally, policy), policy)
  if (LEVELS.indexOf(level) > LEVELS.indexOf(state.status))
    return { status: level, since: now, calm_since: null, released_at: null }
  if (state.status === 'healthy') return state
  const calm_since = level === 'healthy' ? (state.calm_since ?? now) : null
  const isCalm = calm_since !== null && now - calm_since >= policy.calmMs
  const isServed = state.status !== 'suspended' || state.released_at !== null || now - state.since >= policy.suspendedMs
  if (isCalm && isServed) return { ...HEALTHY, since: now }
  return calm_since === state.calm_since ? state : { ...state, calm_since }
}
