/** Handlers of Reputation: how receivers take an organization's mail (decision D26). */

import type { Reader } from '../../../storage/ports.ts'
import { findReputation, keepReputation } from '../../../storage/repos/reputations.ts'
import { talliesSince } from '../../../storage/repos/sending-tally.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { SINGLETON, SINGLETON_ID } from '../../type/define-type.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { HEALTHY, NOTHING_SENT, ratesOf } from './levels.ts'
import { Reputation } from './reputation.type.ts'

export const reputationHandlers: Handlers<typeof Reputation> = {
  all: async () => [SINGLETON],

  async load({ method, reader }, { numbers, properties }) {
    if (!numbers.includes(SINGLETON)) return new Map()
    const object = await present(method.services, reader, method.account.number)
    return new Map([[SINGLETON, pick(object, properties)]])
  },

  async update({ method, unit }, number, { next, changed }) {
    if (changed.length === 0) return { updated: null }
    if (method.request.principal.kind !== 'system')
      return { error: setError('forbidden', 'Only who runs the server ends a suspension before its time.') }
    const row = await findReputation(unit, unit.account)
    if (row?.status !== 'suspended' || !next.isReleased)
      return {
        error: invalidProperties(['isReleased'], 'Only a suspension can be shortened, and it cannot be prolonged.'),
      }
    const { organization: _organization, ...state } = row
    await keepReputation(unit, { ...state, released_at: unit.now })
    unit.change(Reputation.name, number, 'u', ['isReleased'])
    return { updated: null }
  },

  // RFC 8620 5.3
  destroy: async () => setError('singleton'),
}

async function present(
  { limits, clock }: Services,
  reader: Reader,
  organization: number,
): Promise<ObjectOf<typeof Reputation>> {
  const policy = limits.reputation
  const state = (policy.isOn && (await findReputation(reader, organization))) || HEALTHY
  const tallies = await talliesSince(reader, clock.now() - policy.windowMs, organization)
  const tally = tallies.get(organization) ?? NOTHING_SENT
  const rates = ratesOf(tally, policy)
  return {
    id: SINGLETON_ID,
    status: state.status,
    since: state.since === 0 ? null : formatUTCDate(state.since),
    calmSince: state.calm_since === null ? null : formatUTCDate(state.calm_since),
    isReleased: state.released_at !== null,
    recipients: tally.recipients,
    bounceRate: rates?.bounces ?? null,
    complaintRate: rates?.complaints ?? null,
  }
}
