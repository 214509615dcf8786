/** DNS lists of addresses (RFC 5782): an entry is told to the spam score, or refuses the mail where the operator has said so. */
import type { DnsListHit } from '../../../jmap/mail/spam/facts.ts'
import type { Clock } from '../../../server/base/clock.ts'
import { DNS_LIST_MS } from '../../../server/base/inbound-limits.ts'
import { withPatience } from '../../dns/patience.ts'
import type { DnsResolver } from '../../dns/resolver.ts'
import { reversedAddress } from '../../dns/reverse-name.ts'
import { reply } from '../../smtp/reply.ts'
import { type InboundCheck, PASS } from './check.ts'

export interface DnsList {
  readonly zone: string
  /** Mail from an address that is listed is refused. */
  readonly refuses: boolean
}

/** RFC 5782 2.1: an entry is an address of 127/8; 127.255.255.x is how lists say that they do not answer this resolver. */
const ENTRY = /^127\.(?!255\.255\.)/

export function dnsListsCheck(dns: DnsResolver, lists: readonly DnsList[], clock: Clock): InboundCheck {
  return {
    name: 'dns-lists',
    async run({ mail }) {
      const { remoteAddress } = mail.session
      // One list that is down says nothing about the others.
      const ask = (zone: string) => isListed(withPatience(dns, clock, DNS_LIST_MS), remoteAddress, zone)
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
