/** A domain's credentials at its DNS provider, stored sealed (promise A5), and the zone that they open. */
import { isIP } from 'node:net'
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { normaliseDomain } from '../../message/mail-address.ts'
import type { Services } from '../../type/context.ts'
import { type DnsAccess, type DnsZone, TSIG_ALGORITHMS } from '../../type/dns-provider-port.ts'
import { listStored, updateStored } from '../../type/object-store.ts'
import { Domain, type StoredDnsAccess, type StoredDomain, type WrittenDnsAccess } from '../domain/domain.type.ts'
import { registrableOf } from '../domain/names.ts'

function placeOf(organization: number, domain: number): SecretPlace {
  return { purpose: 'dns', tenant: organization, row: String(domain) }
}

/** Why credentials are not taken, as a sentence; null: they are complete. Whether they work shows when they are used. */
export function accessFault(written: WrittenDnsAccess, name: string): string | null {
  const zone = zoneNameOf(written, name)
  if (zone === null || !(name === zone || name.endsWith(`.${zone}`)))
    return 'zone must be the domain or a domain above it.'
  switch (written.provider) {
    case 'cloudflare':
      return isToken(written.token) ? null : 'cloudflare needs a token.'
    case 'powerdns':
      if (!isToken(written.apiKey)) return 'powerdns needs apiKey.'
      return isWebUrl(written.url) ? null : 'powerdns needs a url such as https://dns.example.com:8081.'
    case 'rfc2136':
      if (serverOf(written.server) === null) return 'rfc2136 needs a server such as ns1.example.com:53.'
      if (normaliseDomain(written.keyName ?? '') === null && !/^[a-z0-9_-]{1,63}\.?$/i.test(written.keyName ?? ''))
        return 'rfc2136 needs the name of the TSIG key.'
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(written.secret ?? '')) return 'rfc2136 needs the secret of the key in base64.'
      return null
  }
}

function isToken(text: string | undefined): boolean {
  return text !== undefined && /^[\x21-\x7e]+$/.test(text)
}

function isWebUrl(text: string | undefined): boolean {
  const url = URL.parse(text ?? '')
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === ''
}

/** `host`, `host:port` or `[address]:port`; the port is 53 unless it is given. */
export function serverOf(text: string | undefined): { readonly host: string; readonly port: number } | null {
  const url = URL.parse(`dns://${text ?? ''}`)
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isHost = isIP(host) !== 0 || normaliseDomain(host) !== null
  return url && isHost && /^\/?$/.test(url.pathname) && url.username === ''
    ? { host, port: Number(url.port) || 53 }
    : null
}

function zoneNameOf({ zone }: WrittenDnsAccess, name: string): string | null {
  return zone === undefined ? (registrableOf(name) ?? name) : normaliseDomain(zone)
}

export function sealAccess(
  keyring: Keyring,
  organization: number,
  domain: number,
  name: string,
  written: WrittenDnsAccess,
): StoredDnsAccess {
  const { provider } = written
  const sealed = keyring.seal(JSON.stringify(accessOf(written)), placeOf(organization, domain))
  return { provider, zone: zoneNameOf(written, name)!, sealed }
}

function accessOf(written: WrittenDnsAccess): DnsAccess {
  switch (written.provider) {
    case 'cloudflare':
      return { provider: 'cloudflare', token: written.token! }
    case 'powerdns':
      return {
        provider: 'powerdns',
        url: written.url!,
        apiKey: written.apiKey!,
        serverId: written.serverId ?? 'localhost',
      }
    case 'rfc2136':
      return {
        provider: 'rfc2136',
        server: written.server!,
        keyName: written.keyName!.toLowerCase().replace(/\.$/, ''),
        algorithm: written.algorithm ?? TSIG_ALGORITHMS[0],
        secret: written.secret!,
      }
  }
}

/** Whether records of the domain can be written. */
export function hasZone(domain: Pick<StoredDomain, 'dnsAccess' | 'managedBy'>): boolean {
  return (domain.dnsAccess ?? null) !== null || domain.managedBy === 'service'
}

type ZoneServices = Pick<Services, 'keyring' | 'dnsProviders' | 'registrar'>

/** null: the server cannot write records of the domain. @throws Failure `corrupt` */
export function zoneOf(
  { keyring, dnsProviders, registrar }: ZoneServices,
  { account, domain }: { readonly account: number; readonly domain: number },
  { name, dnsAccess = null, managedBy }: Pick<StoredDomain, 'name' | 'dnsAccess' | 'managedBy'>,
): DnsZone | null {
  if (dnsAccess !== null) {
    const access = JSON.parse(keyring.open(dnsAccess.sealed, placeOf(account, domain))) as DnsAccess
    return dnsProviders.open(access, dnsAccess.zone)
  }
  if (managedBy !== 'service') return null
  return dnsProviders.own(name) ?? registrar?.zone(name) ?? null
}

/** Inside a unit of work: seals again what an older key sealed. */
export async function sealDnsAccess(unit: AccountUnit, keyring: Keyring): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, Domain)) {
    const { dnsAccess = null } = data
    if (dnsAccess === null || !keyring.isStale(dnsAccess.sealed)) continue
    const place = placeOf(unit.account, id)
    const sealed = keyring.seal(keyring.open(dnsAccess.sealed, place), place)
    await updateStored(unit, Domain, { id, data: { ...data, dnsAccess: { ...dnsAccess, sealed } } }, null)
  }
}
