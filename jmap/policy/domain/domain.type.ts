import { DNS_CREDENTIAL_MAX_CHARS } from '../../../server/base/registration-limits.ts'
import type { SetError } from '../../protocol/set-error.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType, objectStorage } from '../../type/define-type.ts'
import type { StoredOf } from '../../type/derived.ts'
import { type DnsAccess, TSIG_ALGORITHMS } from '../../type/dns-provider-port.ts'
import { declareMethod, refused } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import type { WrittenRecord } from '../dns/plan-records.ts'
import type { PublicDkimKey } from './dkim-keys.ts'
import type { CheckState } from './state.ts'

/** The host that all mail of the domain is sent through, instead of the recipients' mail hosts. */
export interface StoredRelay {
  /** `host:port`, as clients see it. */
  readonly host: string
  /** Sealed URL (server/base/keyring.ts). */
  readonly url: string
}

/** Credentials at the domain's DNS provider. */
export interface StoredDnsAccess {
  readonly provider: DnsAccess['provider']
  /** Apex of the zone that holds the domain. */
  readonly zone: string
  /** Sealed JSON of a DnsAccess (server/base/keyring.ts). */
  readonly sealed: string
}

interface Internal {
  readonly dnsAccess?: StoredDnsAccess | null
  /** Records that were written at the provider. */
  readonly dnsWritten?: readonly WrittenRecord[]
  /** Absent in domains that are older than Ed25519 keys. */
  readonly dkimKeys?: readonly PublicDkimKey[]
  readonly check?: CheckState | null
  /**
   * An administrator has verified the domain, and DNS has not shown all of its records since. There may be reasons, such as a relay
   * that signs. Absent in domains that are older than the checks.
   */
  readonly isTrusted?: boolean
  /** The owner has set that DMARC is not managed externally. */
  readonly wantsOwnDmarc?: boolean
  readonly relay?: StoredRelay | null
}

const credential = () => p.string({ minLength: 1, maxLength: DNS_CREDENTIAL_MAX_CHARS }).maybe()

/** Credentials as a client writes them; which are needed depends on the provider (jmap/policy/dns/access.ts). */
const DnsCredentials = p.object({
  provider: p.oneOf(['cloudflare', 'powerdns', 'rfc2136']),
  // Apex of the zone; by default the registered domain.
  zone: p.string({ minLength: 1, maxLength: 253 }).maybe(),
  token: credential(),
  url: credential(),
  apiKey: credential(),
  serverId: credential(),
  server: credential(),
  keyName: credential(),
  algorithm: p.oneOf(TSIG_ALGORITHMS).maybe(),
  secret: credential(),
})

/** The signing RSA key. */
const DkimKey = p.object({
  selector: p.string(),
  publicKey: p.string(),
  recordName: p.string(),
  recordValue: p.string(),
})

const DnsRecordSet = p.object({
  checkedAt: p.utcDate().nullable(),
  allVerified: p.bool(),
  records: p.list(
    p.object({
      key: p.string(),
      type: p.string(),
      host: p.string(),
      /** TXT unquoted and in one piece; null: the key does not exist yet. */
      value: p.string().nullable(),
      priority: p.number().nullable(),
      ttl: p.number(),
      isRecommended: p.bool(),
      status: p.oneOf(['verified', 'not_found', 'mismatch', 'pending']),
      foundValues: p.list(p.string()),
      neededUntil: p.utcDate().nullable(),
    }),
  ),
})

/** A domain in which an organization receives and sends mail (decision D7). */
export const Domain = defineType({
  name: 'Domain',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'dom',
  accounts: 'organization',
  storage: objectStorage<Internal>(),
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ minLength: 1, maxLength: 253 }).fixed(),
    status: p.oneOf(['pending', 'verified', 'degraded', 'failed', 'registering', 'registration_failed']).server(),
    managedBy: p.oneOf(['external', 'service']).server(),
    dnsProvider: p.string().server(),
    mxVerified: p.bool().server(),
    spfVerified: p.bool().server(),
    dkimVerified: p.bool().server(),
    dmarcVerified: p.bool().server(),
    outboundVerified: p.bool().server(),
    dmarcManagedExternally: p.bool().defaults(false),
    catchAllMailboxId: p.id().nullable().defaults(null),
    verifiedAt: p.utcDate().nullable().server(),
    // Of a domain that was bought here; null: another registrar has it, or it is not registered yet (decision D33).
    expiresAt: p.utcDate().nullable().server(),
    // Whether it is renewed before it expires; null: it was not bought here.
    autoRenew: p.bool().nullable().defaults(null),
    // Why the last attempt at its renewal failed; null: none has failed since it was renewed.
    renewalError: p.string().nullable().server(),
    dkim: DkimKey.server(),
    // smtp://user:password@host:port. relayHost is its readable part.
    relayUrl: p.string({ maxLength: 1_000 }).nullable().secret(),
    relayHost: p.string().nullable().server().compute(),
    // Write-only. dnsApi is its readable part.
    dnsCredentials: DnsCredentials.nullable().secret(),
    // The provider that this server writes the domain's records at; null: none.
    dnsApi: p.string().nullable().server().compute(),
    dnsRecords: DnsRecordSet.server().compute().onRequest(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), name: p.string(), status: p.string() },
  sorts: ['name', 'createdAt'],
  args: { set: { onDestroyRemoveMailAccounts: p.bool().defaults(false) } },
  invalidates: ['deliverySettings'],
  scopes: { read: 'domains:read', write: 'domains:write' },
})

const METHOD = { capability: SERVICE, accounts: 'organization', scope: Domain.scopes.write, writes: true } as const
const ids = p.list(p.string()).nullable()

const ZoneRecord = p.object({
  name: p.string(),
  type: p.string(),
  value: p.string(),
  priority: p.number().nullable(),
  ttl: p.number(),
})

/** Writes the domain's records at its DNS provider (decision D33), or shows what would be written. */
export const DomainApplyDns = declareMethod({
  ...METHOD,
  name: 'Domain/applyDns',
  args: { id: p.string(), dryRun: p.bool().defaults(false) },
  answer: {
    applied: p.bool(),
    create: p.list(ZoneRecord),
    update: p.list(p.object({ before: ZoneRecord, after: ZoneRecord })),
    delete: p.list(ZoneRecord),
    // Not written, because others use the names.
    conflicts: p.list(p.object({ key: p.string(), wanted: ZoneRecord, found: p.list(ZoneRecord) })),
    notApplied: p.json<SetError>({ type: 'object' }).nullable(),
  },
})

/** An immediate check of DNS records. The Domain has its results afterwards. */
export const DomainVerify = declareMethod({
  ...METHOD,
  name: 'Domain/verify',
  args: {
    ids: p.list(p.string()),
    // Only reads the records: a known failure makes no event.
    isQuiet: p.bool().defaults(false),
  },
  answer: { oldState: p.string(), newState: p.string(), checked: ids, notChecked: refused() },
})

/** New DKIM keys. Afterwards the Domain's dnsRecords list the records to publish as `dkim_next` and `dkim_ed25519_next`. */
export const DomainRotateDkim = declareMethod({
  ...METHOD,
  name: 'Domain/rotateDkim',
  args: { ids: p.list(p.string()) },
  answer: { rotated: ids, notRotated: refused() },
})

export type StoredDomain = StoredOf<typeof Domain>
/** The property dnsCredentials. */
export type WrittenDnsAccess = (typeof DnsCredentials)['is']['type']
/** The property dnsRecords. */
export type DnsRecordSet = (typeof DnsRecordSet)['is']['type']
/** The property dkim. */
export type DkimKey = (typeof DkimKey)['is']['type']
