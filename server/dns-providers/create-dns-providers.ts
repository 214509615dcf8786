/** Zones at DNS providers: those of customers, whose endpoints are theirs, and the operator's own for domains that are bought. */
import type { DnsAccess, DnsProviders, DnsZone } from '../../jmap/type/dns-provider-port.ts'
import type { Clock } from '../base/clock.ts'
import { createReach, type ReachOptions } from '../egress/reach.ts'
import type { SafeFetch } from '../egress/safe-fetch.ts'
import { cloudflareZone } from './cloudflare.ts'
import { powerdnsZone } from './powerdns.ts'
import { rfc2136Zone } from './rfc2136.ts'

export interface DnsProvidersPlan {
  /** The operator's own provider for bought domains; null: the registrar's DNS. */
  readonly own: DnsAccess | null
  /** The owners of bought domains publish their records themselves. */
  readonly isManual: boolean
  /** Servers that bought domains are delegated to. */
  readonly nameServers: readonly string[]
  /** Stands for Cloudflare's API in dev mode; null: Cloudflare's own. */
  readonly cloudflareBase: string | null
  /** Where endpoints of customers may lead (promise W3). */
  readonly reach: ReachOptions
}

export interface Fetches {
  /** For endpoints of customers. */
  readonly outside: SafeFetch
  /** For hosts that the operator names. */
  readonly inside: SafeFetch
}

export function createDnsProviders(plan: DnsProvidersPlan, { outside, inside }: Fetches, clock: Clock): DnsProviders {
  const { own, nameServers, cloudflareBase } = plan
  const reach = createReach(plan.reach)
  const open = (access: DnsAccess, zone: string, isOwn: boolean): DnsZone => {
    const fetch = isOwn ? inside : outside
    switch (access.provider) {
      case 'cloudflare': {
        const { token } = access
        return cloudflareZone({ base: cloudflareBase, token, zone, fetch, clock, isCustomers: !isOwn })
      }
      case 'powerdns': {
        const { url, apiKey, serverId } = access
        // A key of a customer does not cross the Internet in clear.
        const isClear = isOwn || plan.reach.allowLoopback === true
        const protocols = isClear ? (['https:', 'http:'] as const) : (['https:'] as const)
        const common = { url, apiKey, serverId, zone, nameServers, fetch, clock, protocols }
        return powerdnsZone({ ...common, isCustomers: !isOwn })
      }
      case 'rfc2136': {
        const { host, port } = serverIn(access.server)
        const mayConnect = isOwn ? () => true : (address: string) => reach.mayConnect(address)
        return rfc2136Zone({ access, host, port, zone, nameServers, mayConnect, clock })
      }
    }
  }
  return {
    open: (access, zone) => open(access, zone, false),
    own: (zone) => (plan.isManual ? MANUAL : own && open(own, zone, true)),
    ownLabel: plan.isManual ? 'manual' : (own?.provider ?? null),
  }
}

const done = async <T>(value: T) => ({ kind: 'done', value }) as const
const MANUAL: DnsZone = { ensure: () => done([]), read: () => done([]), change: () => done(null) }

/** `host`, `host:port` or `[address]:port`, which were checked when they were stored. */
function serverIn(server: string): { readonly host: string; readonly port: number } {
  const url = new URL(`dns://${server}`)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || 53 }
}
