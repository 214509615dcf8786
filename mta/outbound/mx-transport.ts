/** Sends messages directly to the mail hosts of each domain. */
import type { QueuedRecipient } from '../../jmap/mail/submission/queue-description.ts'
import { domainOf } from '../smtp/path.ts'
import { type NextHopOptions, sendToNextHop } from './next-hop.ts'
import type { Target } from './open-peer.ts'
import { findRoute, type Route, type RoutingOptions } from './routing.ts'
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
      if (route.status !== 'found') return void results.push(...unrouted(members, route))
      const found = await applyTlsPolicy(domain, route, isRequired, routing)
      if ('deferred' in found) {
        const deferred = sameResult(members, 'deferred', found.deferred)
        return void results.push(...deferred.map((result) => ({ ...result, contact: 'none' as const })))
      }
      const key = JSON.stringify([route.key, found.hosts.map(({ name, tlsPolicy }) => [name, tlsPolicy])])
      const hop = hops.get(key)
      if (hop) hop.recipients.push(...members)
      else hops.set(key, { hosts: found.hosts, recipients: [...members] })
    }),
  )
  return { results, hops: [...hops.values()] }
}

/** Silence of name servers costs as much time as silence of hosts. */
function unrouted(
  members: readonly QueuedRecipient[],
  { status, reply }: Exclude<Route, { status: 'found' }>,
): RecipientResult[] {
  const contact = status === 'deferred' ? 'silent' : 'answered'
  return sameResult(members, status, reply).map((result) => ({ ...result, contact }))
}

function toTarget({ name, ip, port, tlsPolicy }: HostWithTlsPolicy): Target {
  return { name, ip, port, ...tlsPolicy, login: null }
}
