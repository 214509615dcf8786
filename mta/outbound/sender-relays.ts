/** A transport that sends messages of domains with a relay of their own to that relay, and other messages by the transport it wraps. */
import { isIP } from 'node:net'
import type { DnsResolver } from '../dns/resolver.ts'
import { reply } from '../smtp/reply.ts'
import { type NextHopOptions, sendToNextHop } from './next-hop.ts'
import type { Target } from './open-peer.ts'
import { relayTarget, verifiedTarget } from './relay-transport.ts'
import { isTlsRequired, sameResult, type Transport } from './transport.ts'

export interface SenderRelayOptions {
  readonly dns: DnsResolver
  /** Whether a connection to an address is allowed: tenants choose these names, and must not reach internal hosts. */
  readonly mayConnect: (address: string) => boolean
}

export function withSenderRelays(
  transport: Transport,
  options: SenderRelayOptions,
  nextHop: NextHopOptions,
): Transport {
  return {
    async send(message, signal) {
      if (message.relay === null) return transport.send(message, signal)
      const targets = await resolved(relayTarget({ url: message.relay }), options)
      const none = reply(451, '4.4.4', 'The relay of the domain has no address that may be used')
      if (targets.length === 0) return sameResult(message.recipients, 'deferred', none)
      const wanted = isTlsRequired(message) ? targets.map(verifiedTarget) : targets
      return sendToNextHop(wanted, message, signal, nextHop)
    },
    close: () => transport.close(),
  }
}

async function resolved(target: Target, { dns, mayConnect }: SenderRelayOptions): Promise<Target[]> {
  if (isIP(target.ip)) return mayConnect(target.ip) ? [target] : []
  const answers = await Promise.all([dns.a(target.name), dns.aaaa(target.name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'found' ? answer.records : []))
  return addresses.filter(mayConnect).map((ip) => ({ ...target, ip }))
}
