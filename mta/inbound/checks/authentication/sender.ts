/** Checks of the client's address: SPF (RFC 7208) and iprev (RFC 8601 3). */
import { spf } from 'mailauth/lib/spf/index.js'
import type { CheckResult, IprevResult, SpfResult } from '../../../../jmap/delivery/inbound-verdict.ts'
import { IPREV_NAMES_MAX, SPF_MAX_MS } from '../../../../server/base/inbound-limits.ts'
import type { DnsResolver } from '../../../dns/resolver.ts'
import { ipv6Groups } from '../../../dns/reverse-name.ts'
import { domainOf } from '../../../smtp/path.ts'
import type { Lookup } from './lookup.ts'

export interface Client {
  readonly address: string
  readonly helo: string
}

const RESULTS = ['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror'] as const

export async function checkSpf(
  lookup: Lookup,
  { address, helo }: Client,
  mailFrom: string,
  hostname: string,
): Promise<SpfResult> {
  const options = { sender: mailFrom, ip: address, helo, mta: hostname, resolver: lookup, strict: true }
  const { status } = await spf({ ...options, maxElapsedTime: SPF_MAX_MS })
  const result: CheckResult = RESULTS.find((each) => each === status.result) ?? 'temperror'
  // RFC 7208 2.4: for a null reverse-path, the name of EHLO is checked.
  return mailFrom === ''
    ? { result, identity: 'helo', domain: helo.toLowerCase() }
    : { result, identity: 'mailfrom', domain: domainOf(mailFrom) }
}

export async function checkIprev(dns: DnsResolver, address: string): Promise<IprevResult> {
  const names = await dns.ptr(address)
  if (names.status === 'failed') return { result: 'temperror', name: null }
  // RFC 8601 2.7.3: permerror: the address has no name.
  if (names.status !== 'found') return { result: 'permerror', name: null }
  const wanted = canonical(address)
  let failed = false
  for (const name of names.records.slice(0, IPREV_NAMES_MAX)) {
    const answer = await (address.includes(':') ? dns.aaaa(name) : dns.a(name))
    if (answer.status === 'failed') failed = true
    if (answer.status === 'found' && answer.records.some((record) => canonical(record) === wanted))
      return { result: 'pass', name }
  }
  return { result: failed ? 'temperror' : 'fail', name: null }
}

function canonical(address: string): string {
  return address.includes(':') ? ipv6Groups(address).join(':') : address
}
