/** Sends messages directly to the mail hosts of each domain. */
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import { domainOf } from '../smtp/path.ts'
import { type NextHopOptions, sendToNextHop } from './next-hop.ts'
import type { Target } from './open-peer.ts'
import { findRoute, type RoutingOptions } from './routing.ts'
import { applyTlsPolicy, type HostWithTlsPolicy, type TlsPolicyOptions } from './tls-policy.ts'
import { isTlsRequired, type RecipientResult, sameResult, type Transport } from './transport.ts'

export type MxOptions = RoutingOptions & TlsPolicyOptions

export function createMxTransport(routing: MxOptions, nextHop: NextHopOptions): Transport {
  return {
    async send(message, signal) {
      const { results, hops } = await group(message.recipients, isTlsRequired(message), routing)
      const sent = await Promise.all(
        hops.map(({ hosts, recipients }) =>
          sendToNextHop(hosts.map(toTarget), { ...message, recipients }, signal, nextHop),
        ),
      )
      return [...results, ...sent.flat()]
    },
    async close() {
      nextHop.pool.close()
    },
  }
}

interface NextHop {
  readonly hosts: readonly HostWithTlsPolicy[]
  readonly recipients: QueuedRecipient[]
}

/** Recipients by next hop: domains with the same mail hosts and TLS policies share one transaction (RFC 5321 4.5.4.1). */
async function group(
  recipients: readonly QueuedRecipient[],
  isRequired: boolean,
  routing: MxOptions,
): Promise<{ results: RecipientResult[]; hops: NextHop[] }> {
  const domains = Map.groupBy(recipients, ({ address }) => domainOf(address))
  const hops = new Map<string, NextHop>()
  const results: RecipientResult[] = []
  await Promise.all(
    [...domains].map(async ([domain, members]) => {
      const route = await findRoute(domain, routing)
      if (route.status !== 'found') return void results.push(...sameResult(members, route.status, route.reply))
      const found = await applyTlsPolicy(domain, route, isRequired, routing)
      if ('deferred' in found) return void results.push(...sameResult(members, 'deferred', found.deferred))
      const key = JSON.stringify([route.key, found.hosts.map(({ name, tlsPolicy }) => [name, tlsPolicy])])
      const hop = hops.get(key)
      if (hop) hop.recipients.push(...members)
      else hops.set(key, { hosts: found.hosts, recipients: [...members] })
    }),
  )
  return { results, hops: [...hops.values()] }
}

function toTarget({ name, ip, port, tlsPolicy }: HostWithTlsPolicy): Target {
  return { name, ip, port, ...tlsPolicy, login: null }
}
