/** Mail of domains that have a relay of their own goes there, by whatever way the rest goes. */
import { isIP } from 'node:net'
import type { DnsResolver } from '../dns/resolver.ts'
import { reply } from '../smtp/reply.ts'
import { type Carrier, isTlsRequired, outcomes } from './carrier.ts'
import type { Target } from './open-peer.ts'
import { protectedTarget, relayTarget } from './relay-carrier.ts'
import { carryTo, type TransportOptions } from './transport.ts'

export interface SenderRelayOptions {
  readonly dns: DnsResolver
  /** Whether an address may be gone to: tenants write these names, and must not reach what is inside with them. */
  readonly mayReach: (address: string) => boolean
}

export function withSenderRelays(rest: Carrier, options: SenderRelayOptions, transport: TransportOptions): Carrier {
  return {
    async carry(mail, signal) {
      if (mail.relay === null) return rest.carry(mail, signal)
      const targets = await resolved(relayTarget({ url: mail.relay }), options)
      const none = reply(451, '4.4.4', 'The relay of the domain has no address that may be used')
      if (targets.length === 0) return outcomes(mail.recipients, 'deferred', none)
      const wanted = isTlsRequired(mail) ? targets.map(protectedTarget) : targets
      return carryTo(wanted, mail, signal, transport)
    },
    close: () => rest.close(),
  }
}

async function resolved(target: Target, { dns, mayReach }: SenderRelayOptions): Promise<Target[]> {
  if (isIP(target.ip)) return mayReach(target.ip) ? [target] : []
  const answers = await Promise.all([dns.a(target.name), dns.aaaa(target.name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'found' ? answer.records : []))
  return addresses.filter(mayReach).map((ip) => ({ ...target, ip }))
}
