/** The effect of a reputation on messages in the queue (decision D26). */
import { THROTTLED_PACE } from '../../../server/base/sending-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { listRestricted } from '../../../storage/repos/reputations.ts'
import type { Services } from '../../type/context.ts'

/** Fraction of its usual share of the queue that an organization gets, from 0 to 1; organizations that are not listed get all. */
export type Paces = ReadonlyMap<number, number>

export async function pacesIn(reader: Reader, { limits }: Pick<Services, 'limits'>): Promise<Paces> {
  if (!limits.reputation.isOn) return new Map()
  const rows = await listRestricted(reader)
  return new Map(rows.map(({ organization, status }) => [organization, status === 'suspended' ? 0 : THROTTLED_PACE]))
}
