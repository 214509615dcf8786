/** MTA-STS policies (RFC 8461 5) that mta/outbound has fetched. They survive restarts and are shared between nodes. */
import { findStsPolicy, saveStsPolicy } from '../../../storage/repos/sts-policies.ts'
import type { Services } from '../../type/context.ts'

/** The MTA-STS policy of a destination domain. */
export interface KeptPolicy {
  /** Id of the domain's DNS record when the policy was fetched. */
  readonly id: string
  readonly text: string
  /** Epoch ms until which the policy applies. */
  readonly until: number
}

/** null: no policy is known. The policy may have expired. */
export async function findPolicy({ store }: Pick<Services, 'store'>, domain: string): Promise<KeptPolicy | null> {
  const row = await store.read((reader) => findStsPolicy(reader, domain))
  return row && { id: row.id, text: row.policy, until: row.kept_until }
}

export async function keepPolicy(
  { store }: Pick<Services, 'store'>,
  domain: string,
  { id, text, until }: KeptPolicy,
): Promise<void> {
  await store.write([], ({ sql }) => saveStsPolicy(sql, { domain, id, policy: text, kept_until: until }))
}
