/**
 * How a host has to be spoken to: by DANE where the DNS is signed, else by the domain's MTA-STS policy, else by TLS where it is offered
 * (RFC 7672 2.2, RFC 8461 2, RFC 7435). A message that asks for REQUIRETLS goes over verified TLS or not at all (RFC 8689).
 */
import type { DnsResolver } from '../dns/resolver.ts'
import { type Reply, reply } from '../smtp/reply.ts'
import { type TlsaRecord, usableTlsa } from './dane.ts'
import type { MailHost, Route } from './routing.ts'
import { allowsHost, type StsPolicies, type StsPolicy } from './sts-policy.ts'

export interface Protection {
  readonly tls: 'opportunistic' | 'required'
  /** By the certificate authorities that the system trusts. */
  readonly verify: boolean
  /** Instead of those. */
  readonly dane?: readonly TlsaRecord[]
}

export interface ProtectedHost extends MailHost {
  readonly protection: Protection
}

export interface ProtectionOptions {
  readonly dns: DnsResolver
  /** null: policies are not looked at. */
  readonly sts: StsPolicies | null
  /** Whether the resolver's word on DNSSEC is believed. */
  readonly dane: boolean
}

const NO_HOST = reply(451, '4.7.5', 'No mail host of the domain may be used under its MTA-STS policy')

/** The hosts of a route that may be used, each with what it takes; `refused`: why there is none just now. */
export async function protect(
  domain: string,
  route: Extract<Route, { status: 'found' }>,
  isRequired: boolean,
  options: ProtectionOptions,
): Promise<{ readonly hosts: readonly ProtectedHost[] } | { readonly deferred: Reply }> {
  const policy = (await options.sts?.find(domain)) ?? null
  const hosts: ProtectedHost[] = []
  let unknown: Reply | null = null
  for (const host of route.hosts) {
    const found = options.dane && route.isAuthentic ? await daneOf(host, options.dns) : null
    if (found && 'deferred' in found) unknown = found.deferred
    else if (found) hosts.push({ ...host, protection: found })
    else {
      const protection = withoutDane(policy, host, isRequired)
      if (protection) hosts.push({ ...host, protection })
    }
  }
  return hosts.length > 0 ? { hosts } : { deferred: unknown ?? NO_HOST }
}

/** null: the policy does not let mail go there. */
function withoutDane(policy: StsPolicy | null, host: MailHost, isRequired: boolean): Protection | null {
  const isEnforced = policy?.mode === 'enforce'
  if (isEnforced && !allowsHost(policy, host.name)) return null
  return isEnforced || isRequired ? { tls: 'required', verify: true } : { tls: 'opportunistic', verify: false }
}

/** null: it has no records that DNSSEC vouches for. RFC 7672 2.2: where that cannot be found out, the host is not used now. */
async function daneOf(host: MailHost, dns: DnsResolver): Promise<Protection | { deferred: Reply } | null> {
  if (!host.isAuthentic) return null
  const answer = await dns.tlsa(`_${host.port}._tcp.${host.name}`)
  if (answer.status === 'failed') {
    return { deferred: reply(451, '4.7.5', `The TLSA records of ${host.name} could not be looked up`) }
  }
  if (answer.status !== 'found' || !answer.isAuthentic) return null
  const dane = usableTlsa(answer.records)
  // RFC 7672 2.2.3: records that are there and of no use still ask for TLS.
  return dane.length > 0 ? { tls: 'required', verify: false, dane } : { tls: 'required', verify: false }
}
