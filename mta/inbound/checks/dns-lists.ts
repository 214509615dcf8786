/** DNS lists of addresses (RFC 5782): an entry adds to the spam score, or refuses the message if the operator has configured that. */
import type { DnsListHit } from '../../../jmap/delivery/spam/facts.ts'
import type { Clock } from '../../../server/base/clock.ts'
import { DNS_LIST_MS } from '../../../server/base/inbound-limits.ts'
import type { DnsResolver } from '../../dns/resolver.ts'
import { withResolverTimeout } from '../../dns/resolver-timeout.ts'
import { reversedAddress } from '../../dns/reverse-name.ts'
import { reply } from '../../smtp/reply.ts'
import { type InboundCheck, PASS } from './check.ts'

export interface DnsList {
  readonly zone: string
  /** Refuse mail from a listed address. */
  readonly refuses: boolean
}

/** RFC 5782 2.1: an entry is an address of 127/8; with 127.255.255.x a list says that it does not serve this resolver. */
const ENTRY = /^127\.(?!255\.255\.)/

export function dnsListsCheck(dns: DnsResolver, lists: readonly DnsList[], clock: Clock): InboundCheck {
  return {
    name: 'dns-lists',
    async run({ message }) {
      const { remoteAddress } = message.session
      // Each list has a timeout of its own: an unreachable list does not affect the others.
      const ask = (zone: string) => isListed(withResolverTimeout(dns, clock, DNS_LIST_MS), remoteAddress, zone)
      const found = await Promise.all(lists.map(({ zone }) => ask(zone)))
      const hits = lists.filter((_, i) => found[i])
      const refusing = hits.find(({ refuses }) => refuses)
      if (refusing) return { refusal: reply(550, '5.7.1', `${remoteAddress} is listed in ${refusing.zone}`) }
      if (hits.length === 0) return PASS
      const dnsLists: DnsListHit[] = hits.map(({ zone }) => ({ zone, subject: remoteAddress }))
      return { verdict: { dnsLists } }
    },
  }
}

async function isListed(dns: DnsResolver, address: string, zone: string): Promise<boolean> {
  const answer = await dns.a(`${reversedAddress(address)}.${zone}`)
  return answer.status === 'found' && answer.records.some((record) => ENTRY.test(record))
}
