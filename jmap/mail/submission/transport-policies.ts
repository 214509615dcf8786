/** MTA-STS policies that the server has fetched (RFC 8461 5), for who sends mail (mta/outbound): kept over restarts and shared by nodes. */
import { findStsPolicy, saveStsPolicy } from '../../../storage/repos/sts-policies.ts'
import type { Services } from '../../context.ts'
import type { KeptPolicy, TransportPolicies } from '../../core.ts'

export class LocalTransportPolicies implements TransportPolicies {
  readonly #services: Pick<Services, 'store'>

  constructor(services: Pick<Services, 'store'>) {
    this.#services = services
  }

  async find(domain: string): Promise<KeptPolicy | null> {
    const row = await this.#services.store.read((reader) => findStsPolicy(reader, domain))
    return row && { id: row.id, text: row.policy, until: row.kept_until }
  }

  async keep(domain: string, { id, text, until }: KeptPolicy): Promise<void> {
    await this.#services.store.write([], ({ sql }) =>
      saveStsPolicy(sql, { domain, id, policy: text, kept_until: until }),
    )
  }
}
