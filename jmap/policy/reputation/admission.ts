/** The limits that follow from a reputation (decision D26). */
import type { ReputationPolicy } from '../../../server/base/sending-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { findReputation } from '../../../storage/repos/reputations.ts'
import { keepSends, sendsOf } from '../../../storage/repos/sending-usage.ts'
import { type SetError, setError } from '../../protocol/errors.ts'

const HOUR_MS = 3_600_000

/** Inside the organization's unit of work. null: mail to this many recipients is allowed now; they are counted. */
export async function reputationFault(
  unit: AccountUnit,
  policy: ReputationPolicy,
  count: number,
): Promise<SetError | null> {
  const status = policy.isOn ? (await findReputation(unit, unit.account))?.status : undefined
  if (status === 'suspended')
    return setError('forbiddenToSend', 'Sending is suspended: too many messages bounced or were complained about.')
  if (status !== 'throttled') return null
  const hour = new Date(unit.now).toISOString().slice(0, 'yyyy-mm-ddThh'.length)
  const used = await sendsOf(unit, unit.account, hour)
  if (used + count <= policy.throttledSendsPerHour) {
    await keepSends(unit, hour, used + count)
    return null
  }
  const limit = policy.throttledSendsPerHour
  const description = `Sending is throttled to ${limit} recipients an hour: too many messages bounced or were complained about.`
  return { ...setError('rateLimit', description), retryAfter: Math.ceil((HOUR_MS - (unit.now % HOUR_MS)) / 1000) }
}
