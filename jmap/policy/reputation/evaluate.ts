/** Evaluates the results of each organization's mail and moves its reputation (decision D26). Several nodes may run it at once. */

import type { LongRuns } from '../../../server/base/long-runs.ts'
import type { ReputationPolicy } from '../../../server/base/sending-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { findReputation, keepReputation, listReputations } from '../../../storage/repos/reputations.ts'
import { deleteTalliesBefore, talliesSince } from '../../../storage/repos/sending-tally.ts'
import { appendEvent } from '../../events/append.ts'
import type { EventType } from '../../events/event-types.ts'
import type { Services } from '../../type/context.ts'
import { SINGLETON } from '../../type/define-type.ts'
import { HEALTHY, NOTHING_SENT, nextState, type ReputationState, type ReputationStatus } from './levels.ts'
import { Reputation } from './reputation.type.ts'

const EVENT_OF: { readonly [status in ReputationStatus]: EventType } = {
  healthy: 'org.reputation_recovered',
  warning: 'org.reputation_warning',
  throttled: 'org.sending_throttled',
  suspended: 'org.sending_suspended',
}

type Needs = Pick<Services, 'store' | 'clock' | 'limits'>

export function evaluateReputations(services: Needs & { readonly longRuns: LongRuns }): Promise<void> {
  return services.longRuns.run('reputations', (isStopping) => evaluateAll(services, isStopping))
}

async function evaluateAll({ store, clock, limits }: Needs, isStopping: () => boolean): Promise<void> {
  const policy = limits.reputation
  if (!policy.isOn) return
  const now = clock.now()
  const { tallies, rows } = await store.read(async (reader) => ({
    tallies: await talliesSince(reader, now - policy.windowMs),
    rows: await listReputations(reader),
  }))
  const states = new Map<number, ReputationState>(rows.map(({ organization, ...state }) => [organization, state]))
  for (const organization of new Set([...tallies.keys(), ...states.keys()])) {
    if (isStopping()) return
    const state = states.get(organization) ?? HEALTHY
    // Most do not change: no lock is taken for them.
    if (nextState(state, tallies.get(organization) ?? NOTHING_SENT, policy, now) === state) continue
    await store.write([organization], (work) => evaluate(work.account(organization), policy))
  }
  await store.write([], (work) => deleteTalliesBefore(work.sql, now - policy.windowMs))
}

/** Inside a unit of work: another node may have moved it meanwhile. */
async function evaluate(unit: AccountUnit, policy: ReputationPolicy): Promise<void> {
  const { account, now } = unit
  if (!(await findAccount(unit, account))) return
  const row = await findReputation(unit, account)
  const tallies = await talliesSince(unit, now - policy.windowMs, account)
  const before = row ?? HEALTHY
  const after = nextState(before, tallies.get(account) ?? NOTHING_SENT, policy, now)
  if (after === before) return
  const { status, since, calm_since, released_at } = after
  await keepReputation(unit, { status, since, calm_since, released_at })
  unit.change(Reputation.name, SINGLETON, 'u')
  if (status === before.status) return
  await appendEvent(unit, EVENT_OF[status], { previous_status: before.status, new_status: status })
}
