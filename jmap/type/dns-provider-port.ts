/** The interface by which the core reads and writes records at DNS providers. The host implements it (server/dns-providers). */
import type { DnsType } from './host-ports.ts'
import type { ProviderAnswer } from './provider-answer.ts'

/** A record as in zone files: names in lower case without a dot at the end, TXT unquoted and in one piece. */
export interface ZoneRecord {
  readonly name: string
  readonly type: DnsType | 'A' | 'AAAA'
  readonly value: string
  /** Of MX and SRV. */
  readonly priority?: number
  /** Seconds. */
  readonly ttl: number
}

/** A record as the provider has it. */
export interface HeldRecord extends ZoneRecord {
  /** Its id at the provider; null: the provider has none. */
  readonly ref: string | null
}

export interface RecordUpdate {
  readonly before: HeldRecord
  readonly after: ZoneRecord
}

/** The records of one change. Nothing else of the zone is touched. */
export interface ZoneChange {
  readonly create: readonly ZoneRecord[]
  /** Each in one step: at no time neither record is there. */
  readonly update: readonly RecordUpdate[]
  readonly remove: readonly HeldRecord[]
}

/** One zone at a provider. */
export interface DnsZone {
  /** Makes the zone unless it is there. The answer: the servers to delegate to; none: the delegation stands already. */
  ensure(): Promise<ProviderAnswer<readonly string[]>>
  /** Records of these names, of the types above. */
  read(names: readonly string[]): Promise<ProviderAnswer<readonly HeldRecord[]>>
  /** A change that was made in part is completed by reading and changing again. */
  change(change: ZoneChange): Promise<ProviderAnswer<null>>
}

/** Credentials for a zone. */
export type DnsAccess =
  | {
      readonly provider: 'cloudflare'
      /** API token with the right to edit the zone. */
      readonly token: string
    }
  | {
      readonly provider: 'powerdns'
      /** URL of the web server: `https://dns.example.net:8081`. */
      readonly url: string
      readonly apiKey: string
      readonly serverId: string
    }
  | {
      readonly provider: 'rfc2136'
      /** `host:port` of the primary server. */
      readonly server: string
      readonly keyName: string
      /** RFC 8945 6 */
      readonly algorithm: TsigAlgorithm
      /** base64 */
      readonly secret: string
    }

export const TSIG_ALGORITHMS = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const
export type TsigAlgorithm = (typeof TSIG_ALGORITHMS)[number]

export interface DnsProviders {
  /** The zone of a customer. Endpoints in private networks are refused (promise W3). @param zone its apex */
  open(access: DnsAccess, zone: string): DnsZone
  /** The zone of a bought domain at the operator's own provider; null: it is at the registrar. */
  own(zone: string): DnsZone | null
  /** Label of the operator's own provider; null: it is at the registrar. */
  readonly ownLabel: string | null
}

const unreached = async () => ({ kind: 'refused', reason: 'this host reaches no DNS provider' }) as const
const NO_ZONE: DnsZone = { ensure: unreached, read: unreached, change: unreached }

/** For a core without DNS providers. */
export const NO_DNS_PROVIDERS: DnsProviders = { open: () => NO_ZONE, own: () => null, ownLabel: null }
