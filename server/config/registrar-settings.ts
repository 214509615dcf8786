/** The registrar and the DNS provider of domains that are bought here (decision D33). */
import type { DnsAccess } from '../../jmap/type/dns-provider-port.ts'
import type { RawSettings } from './env.ts'
import type { SettingReader } from './setting-reader.ts'

export interface RegistrarSettings {
  readonly kind: 'none' | 'fake' | 'porkbun' | 'dnsimple'
  /** Porkbun: the API key; DNSimple: the number of the account. Its secret is in Secrets. */
  readonly account: string
  /** Stands for the registrar's API in dev mode; null: the registrar's own. */
  readonly base: string | null
}

export interface DnsProviderSettings {
  readonly kind: 'registrar' | DnsAccess['provider'] | 'none'
  /** PowerDNS: URL of the web server; RFC 2136: `host:port`; Cloudflare: stands for its API in dev mode. */
  readonly url: string | null
  readonly nameServers: readonly string[]
}

const REGISTRARS = ['none', 'fake', 'porkbun', 'dnsimple'] as const
const PROVIDERS = ['registrar', 'cloudflare', 'powerdns', 'rfc2136', 'none'] as const

export function readRegistrar(read: SettingReader, dev: boolean): RegistrarSettings {
  const kind = read.oneOf('registrar', REGISTRARS) ?? 'none'
  if (kind === 'fake' && !dev) read.refuse('registrar', 'fake is for dev mode: it registers nothing')
  const account = read.text('registrar_account')
  const isReal = kind === 'porkbun' || kind === 'dnsimple'
  if (isReal && account === null)
    read.refuse(
      'registrar',
      `${kind} needs registrar_account: ${kind === 'porkbun' ? 'the API key' : 'the number of the account'}`,
    )
  if (isReal && read.text('registrar_key') === null) read.refuse('registrar', `${kind} needs registrar_key`)
  if (account !== null && !/^[A-Za-z0-9_-]{1,200}$/.test(account))
    read.refuse('registrar_account', 'must be letters, digits, hyphens and underscores')
  const base = read.origin('registrar_url')
  if (base !== null && !dev) read.refuse('registrar_url', 'it is for dev mode')
  return { kind, account: account ?? '', base }
}

export function readDnsProvider(read: SettingReader, dev: boolean): DnsProviderSettings {
  const kind = read.oneOf('dns_provider', PROVIDERS) ?? 'registrar'
  const url = read.text('dns_provider_url')
  const nameServers = read.domains('dns_name_servers', []).map(({ domain }) => domain)
  const needs = { powerdns: 'a URL such as http://127.0.0.1:8081', rfc2136: 'a server such as 192.0.2.53:53' } as const
  if ((kind === 'powerdns' || kind === 'rfc2136') && url === null)
    read.refuse('dns_provider', `${kind} needs dns_provider_url: ${needs[kind]}`)
  const form = kind === 'rfc2136' ? /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i : /^https?:\/\/[^\s?#@]+$/
  if (url !== null && !form.test(url))
    read.refuse('dns_provider_url', `must be ${needs[kind === 'rfc2136' ? kind : 'powerdns']}`)
  if (kind === 'cloudflare' && url !== null && !dev) read.refuse('dns_provider_url', 'Cloudflare has a URL of its own')
  if (kind === 'powerdns' && nameServers.length === 0)
    read.refuse('dns_provider', `${kind} needs dns_name_servers: what domains are delegated to`)
  const key = read.text('dns_provider_key')
  if (kind !== 'registrar' && kind !== 'none' && key === null)
    read.refuse('dns_provider', `${kind} needs dns_provider_key`)
  // The message does not repeat the value, because it is a secret.
  if (kind === 'rfc2136' && key !== null && tsigKeyIn(key) === null)
    read.refuse('dns_provider_key', 'must be name:hmac-sha256:base64, as a TSIG key')
  return { kind, url, nameServers }
}

/** null: the registrar's own DNS. */
export function ownAccess({ kind, url }: DnsProviderSettings, key: string | null): DnsAccess | null {
  if (key === null) return null
  switch (kind) {
    case 'cloudflare':
      return { provider: 'cloudflare', token: key }
    case 'powerdns':
      return { provider: 'powerdns', url: url ?? '', apiKey: key, serverId: 'localhost' }
    case 'rfc2136': {
      const tsig = tsigKeyIn(key)
      return tsig && { provider: 'rfc2136', server: url ?? '', ...tsig }
    }
    default:
      return null
  }
}

function tsigKeyIn(text: string) {
  const match = /^([a-z0-9._-]{1,253}):(hmac-sha(?:256|384|512)):([A-Za-z0-9+/]+={0,2})$/i.exec(text)
  if (!match) return null
  const algorithm = match[2]!.toLowerCase() as 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512'
  return { keyName: match[1]!.toLowerCase().replace(/\.$/, ''), algorithm, secret: match[3]! }
}

/** The registrar's secret and the provider's key. */
export function readRegistrarSecrets(raw: RawSettings) {
  return {
    registrarKey: raw.get('registrar_key')?.text ?? null,
    dnsProviderKey: raw.get('dns_provider_key')?.text ?? null,
  }
}
