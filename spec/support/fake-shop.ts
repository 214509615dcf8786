/** A registrar and DNS providers that answer from memory, for tests of everything. */
import type { DnsProviders, HeldRecord } from '../../jmap/type/dns-provider-port.ts'
import type { Registrar } from '../../jmap/type/registrar-port.ts'
import { systemClock } from '../../server/base/clock.ts'
import { createFakeRegistrar } from '../../server/registrars/fake.ts'
import { fakeZone } from '../../server/registrars/fake-zone.ts'

export interface FakeShop {
  readonly registrar: Registrar
  readonly dnsProviders: DnsProviders
  /** Records by zone, at the providers of customers. */
  readonly zones: Map<string, HeldRecord[]>
}

export function fakeShop(): FakeShop {
  const zones = new Map<string, HeldRecord[]>()
  const dnsProviders = {
    open: (_access: unknown, zone: string) => fakeZone(zones, zone),
    own: () => null,
    ownLabel: null,
  }
  return { registrar: createFakeRegistrar(systemClock), dnsProviders, zones }
}

/** Credentials that the providers above take. */
export const ANY_CREDENTIALS = { provider: 'cloudflare', token: 'token-1' } as const
