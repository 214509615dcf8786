/**
 * The TLS policy for a mail host: DANE where the DNS is signed, else the domain's MTA-STS policy, else opportunistic TLS (RFC 7672 2.2,
 * RFC 8461 2, RFC 7435). A message with REQUIRETLS goes over verified TLS, or not at all (RFC 8689).
 */
import type { DnsResolver } from '../dns/resolver.ts'
import { type Reply, reply } from '../smtp/reply.ts'
import { type TlsaRecord, usableTlsa } from './dane.ts'
import type { MailHost, Route } from './routing.ts'
import { allowsHost, type StsPolicies, type StsPolicy } from './sts-policy.ts'

export interface TlsPolicy {
  readonly tls: 'opportunistic' | 'required'
  /** Verify the certificate by the authorities that the system trusts. */
  readonly verify: boolean
  /** TLSA records that the certificate has to match, instead of the authorities. */
  readonly dane?: readonly TlsaRecord[]
}

export interface HostWithTlsPolicy extends MailHost {
  readonly tlsPolicy: TlsPolicy
}

export interface TlsPolicyOptions {
  readonly dns: DnsResolver
  /** null: MTA-STS is not used. */
  readonly sts: StsPolicies | null
  /** Whether the AD bit of the resolver is trusted. */
  readonly dane: boolean
}

const NO_HOST = reply(451, '4.7.5', 'No mail host of the domain may be used under its MTA-STS policy')

/** The usable hosts of a route, each with its policy; `deferred`: why there is none now. */
export async function applyTlsPolicy(
  domain: string,
  route: Extract<Route, { status: 'found' }>,
  isRequired: boolean,
  options: TlsPolicyOptions,
): Promise<{ readonly hosts: readonly HostWithTlsPolicy[] } | { readonly deferred: Reply }> {
  const policy = (await options.sts?.find(domain)) ?? null
  const hosts: HostWithTlsPolicy[] = []
  let unknown: Reply | null = null
  for (const host of route.hosts) {
    const found = options.dane && route.isAuthentic ? await daneOf(host, options.dns) : null
    if (found && 'deferred' in found) unknown = found.deferred
    else if (found) hosts.push({ ...host, tlsPolicy: found })
    else {
      const tlsPolicy = withoutDane(policy, host, isRequired)
      if (tlsPolicy) hosts.push({ ...host, tlsPolicy })
    }
  }
  return hosts.length > 0 ? { hosts } : { deferred: unknown ?? NO_HOST }
}

/** null: the MTA-STS policy does not allow the host. */
function withoutDane(policy: StsPolicy | null, host: MailHost, isRequired: boolean): TlsPolicy | null {
  const isEnforced = policy?.mode === 'enforce'
  if (isEnforced && !allowsHost(policy, host.name)) return null
  return isEnforced || isRequired ? { tls: 'required', verify: true } : { tls: 'opportunistic', verify: false }
}

/** null: the host has no authentic TLSA records. RFC 7672 2.2: if the lookup fails, the host is not used now. */
async function daneOf(host: MailHost, dns: DnsResolver): Promise<TlsPolicy | { deferred: Reply } | null> {
  if (!host.isAuthentic) return null
  const answer = await dns.tlsa(`_${host.port}._tcp.${host.name}`)
  if (answer.status === 'failed') {
    return { deferred: reply(451, '4.7.5', `The TLSA records of ${host.name} could not be looked up`) }
  }
  if (answer.status !== 'found' || !answer.isAuthentic) return null
  const dane = usableTlsa(answer.records)
  // RFC 7672 2.2.3: if all TLSA records are unusable, TLS is still required.
  return dane.length > 0 ? { tls: 'required', verify: false, dane } : { tls: 'required', verify: false }
}
