/** Mail straight to the mail hosts of each domain. */
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import { domainOf } from '../smtp/path.ts'
import { type CarriedRecipient, type Carrier, isTlsRequired, outcomes } from './carrier.ts'
import type { Target } from './open-peer.ts'
import { type ProtectedHost, type ProtectionOptions, protect } from './protection.ts'
import { findRoute, type RoutingOptions } from './routing.ts'
import { carryTo, type TransportOptions } from './transport.ts'

export type MxOptions = RoutingOptions & ProtectionOptions

export function createMxCarrier(routing: MxOptions, transport: TransportOptions): Carrier {
  return {
    async carry(mail, signal) {
      const { carried, hops } = await group(mail.recipients, isTlsRequired(mail), routing)
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
  readonly hosts: readonly ProtectedHost[]
  readonly recipients: QueuedRecipient[]
}

/** Recipients by next hop: domains that share their mail hosts, and what these take, share one transaction (RFC 5321 4.5.4.1). */
async function group(
  recipients: readonly QueuedRecipient[],
  isRequired: boolean,
  routing: MxOptions,
): Promise<{ carried: CarriedRecipient[]; hops: Hop[] }> {
  const domains = Map.groupBy(recipients, ({ address }) => domainOf(address))
  const hops = new Map<string, Hop>()
  const carried: CarriedRecipient[] = []
  await Promise.all(
    [...domains].map(async ([domain, members]) => {
      const route = await findRoute(domain, routing)
      if (route.status !== 'found') return void carried.push(...outcomes(members, route.status, route.reply))
      const found = await protect(domain, route, isRequired, routing)
      if ('deferred' in found) return void carried.push(...outcomes(members, 'deferred', found.deferred))
      const key = JSON.stringify([route.key, found.hosts.map(({ name, protection }) => [name, protection])])
      const hop = hops.get(key)
      if (hop) hop.recipients.push(...members)
      else hops.set(key, { hosts: found.hosts, recipients: [...members] })
    }),
  )
  return { carried, hops: [...hops.values()] }
}

function toTarget({ name, ip, port, protection }: ProtectedHost): Target {
  return { name, ip, port, ...protection, login: null }
}
