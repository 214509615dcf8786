/** Mail straight to the mail hosts of each domain. */
import type { QueuedRecipient } from '../../jmap/core.ts'
import { domainOf } from '../smtp/path.ts'
import { type CarriedRecipient, type Carrier, outcomes } from './carrier.ts'
import type { Target } from './open-peer.ts'
import { findRoute, type MailHost, type RoutingOptions } from './routing.ts'
import { carryTo, type TransportOptions } from './transport.ts'

export function createMxCarrier(routing: RoutingOptions, transport: TransportOptions): Carrier {
  return {
    async carry(mail, signal) {
      const { carried, hops } = await group(mail.recipients, routing)
      const sent = await Promise.all(
        hops.map(({ hosts, recipients }) => carryTo(hosts.map(toTarget), { ...mail, recipients }, signal, transport)),
      )
      return [...carried, ...sent.flat()]
    },
    async close() {
      transport.pool.close()
    },
  }
}

interface Hop {
  readonly hosts: readonly MailHost[]
  readonly recipients: QueuedRecipient[]
}

/** Recipients by next hop: domains that share their mail hosts share one transaction (RFC 5321 4.5.4.1). */
async function group(
  recipients: readonly QueuedRecipient[],
  routing: RoutingOptions,
): Promise<{ carried: CarriedRecipient[]; hops: Hop[] }> {
  const domains = Map.groupBy(recipients, ({ address }) => domainOf(address))
  const hops = new Map<string, Hop>()
  const carried: CarriedRecipient[] = []
  const routes = await Promise.all(
    [...domains].map(async ([domain, members]) => ({ members, route: await findRoute(domain, routing) })),
  )
  for (const { members, route } of routes) {
    if (route.status !== 'found') {
      carried.push(...outcomes(members, route.status, route.reply))
      continue
    }
    const hop = hops.get(route.key)
    if (hop) hop.recipients.push(...members)
    else hops.set(route.key, { hosts: route.hosts, recipients: [...members] })
  }
  return { carried, hops: [...hops.values()] }
}

function toTarget({ name, ip, port }: MailHost): Target {
  return { name, ip, port, tls: 'opportunistic', verify: false, login: null }
}
