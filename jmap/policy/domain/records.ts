/**
 * The expected DNS records of a domain (decision D7): the six required for `verified`, and the recommended ones. Pure: from the
 * domain's keys and the hosts of this installation.
 */
import { DKIM_OLD_RECORD_MS, DOMAIN_RECORD_TTL_SECONDS } from '../../../server/base/domain-limits.ts'
import type { DnsType, Hosting } from '../../type/host-ports.ts'
import type { DkimAlgorithm, PublicDkimKey } from './dkim-keys.ts'
import { mailFromDomain } from './hosting.ts'
import { stsPolicyId } from './sts-policy.ts'

export const REQUIRED_KEYS = ['mx', 'spf', 'mail_from_mx', 'mail_from_spf', 'dkim', 'dmarc'] as const
export type RequiredKey = (typeof REQUIRED_KEYS)[number]
const RECOMMENDED_KEYS = [
  'dkim_ed25519',
  'dkim_next',
  'dkim_ed25519_next',
  'dkim_old',
  'dkim_ed25519_old',
  'mta_sts',
  'mta_sts_host',
  'tls_rpt',
  'jmap_srv',
  'submissions_srv',
  'autoconfig',
  'autodiscover',
  'caa',
  'tlsa',
] as const
export type RecordKey = RequiredKey | (typeof RECOMMENDED_KEYS)[number]

export interface ExpectedRecord {
  readonly key: RecordKey
  readonly type: DnsType
  /** Fully qualified, without a dot at the end. */
  readonly host: string
  /** TXT unquoted and in one piece; null: not created yet. */
  readonly value: string | null
  readonly priority?: number
  readonly ttl: number
  readonly isRecommended: boolean
  /** Epoch ms until which the record is needed; absent: always. */
  readonly neededUntil?: number
}

export interface NamedDomain {
  readonly name: string
  readonly keys: readonly PublicDkimKey[]
  /** The value of the TLSA record of our mail host; null: this domain needs none. */
  readonly tlsa: string | null
}

const MX_PREFERENCE = 10

/** The record of each kind of key. During a rotation there are several of a kind (rotation.ts). */
export const DKIM_RECORDS = { rsa: 'dkim', ed25519: 'dkim_ed25519' } as const satisfies Record<DkimAlgorithm, RecordKey>

export function expectedRecords({ name, keys, tlsa }: NamedDomain, hosting: Hosting): ExpectedRecord[] {
  const { mailHost, spfMechanism } = hosting
  const from = mailFromDomain(name)
  const rsa = keys.findLast(({ algorithm, stage }) => algorithm === 'rsa' && stage === undefined)
  const mx = { type: 'MX', value: mailHost, priority: MX_PREFERENCE } as const
  const required = { ttl: DOMAIN_RECORD_TTL_SECONDS, isRecommended: false }
  return [
    { key: 'mx', host: name, ...mx, ...required },
    { key: 'spf', type: 'TXT', host: name, value: `v=spf1 ${spfMechanism} ~all`, ...required },
    { key: 'mail_from_mx', host: from, ...mx, ...required },
    { key: 'mail_from_spf', type: 'TXT', host: from, value: `v=spf1 ${spfMechanism} -all`, ...required },
    { key: 'dkim', type: 'TXT', ...dkimRecord(name, rsa, 'ph1'), ...required },
    { key: 'dmarc', type: 'TXT', host: `_dmarc.${name}`, value: 'v=DMARC1; p=none', ...required },
    ...recommendedRecords(name, keys, hosting),
    ...(tlsa === null ? [] : [tlsaRecord(hosting, tlsa)]),
  ]
}

/** RFC 7672 3.1: under the name of the mail host. */
function tlsaRecord({ mailHost }: Hosting, value: string): ExpectedRecord {
  const host = `_25._tcp.${mailHost}`
  return { key: 'tlsa', type: 'TLSA', host, value, ttl: DOMAIN_RECORD_TTL_SECONDS, isRecommended: true }
}

function recommendedRecords(name: string, keys: readonly PublicDkimKey[], hosting: Hosting): ExpectedRecord[] {
  const { mailHost, webHost, webPort, submissionsPort, hasPolicy, caaIssuer } = hosting
  const common = { ttl: DOMAIN_RECORD_TTL_SECONDS, isRecommended: true }
  const ed25519 = keys.findLast(({ algorithm, stage }) => algorithm === 'ed25519' && stage === undefined)
  const policyId = `v=STSv1; id=${stsPolicyId(mailHost)}`
  const srv = (key: RecordKey, service: string, port: number, host: string): ExpectedRecord => {
    return { key, type: 'SRV', host: `${service}.${name}`, value: `1 ${port} ${host}`, priority: 0, ...common }
  }
  const alias = (key: RecordKey, label: string): ExpectedRecord[] => {
    // A host cannot be an alias of itself.
    const host = `${label}.${name}`
    return host === webHost ? [] : [{ key, type: 'CNAME', host, value: webHost, ...common }]
  }
  return [
    { key: 'dkim_ed25519', type: 'TXT', ...dkimRecord(name, ed25519, 'ph1-ed25519'), ...common },
    ...keys.flatMap((key): ExpectedRecord[] => {
      if (key.stage === undefined) return []
      const until = key.retiredAt === undefined ? {} : { neededUntil: key.retiredAt + DKIM_OLD_RECORD_MS }
      const record = dkimRecord(name, key, key.selector)
      return [{ key: `${DKIM_RECORDS[key.algorithm]}_${key.stage}`, type: 'TXT', ...record, ...common, ...until }]
    }),
    ...(hasPolicy
      ? [
          { key: 'mta_sts', type: 'TXT', host: `_mta-sts.${name}`, value: policyId, ...common } as const,
          ...alias('mta_sts_host', 'mta-sts'),
        ]
      : []),
    // RFC 8460 3
    {
      key: 'tls_rpt',
      type: 'TXT',
      host: `_smtp._tls.${name}`,
      value: `v=TLSRPTv1; rua=mailto:postmaster@${name}`,
      ...common,
    },
    // RFC 8620 2.2, RFC 8314 5.1
    srv('jmap_srv', '_jmap._tcp', webPort, webHost),
    ...(submissionsPort === null ? [] : [srv('submissions_srv', '_submissions._tcp', submissionsPort, mailHost)]),
    ...alias('autoconfig', 'autoconfig'),
    ...alias('autodiscover', 'autodiscover'),
    { key: 'caa', type: 'CAA', host: name, value: `0 issue "${caaIssuer}"`, ...common },
  ]
}

function dkimRecord(domain: string, key: PublicDkimKey | undefined, selector: string) {
  return {
    host: `${key?.selector ?? selector}._domainkey.${domain}`,
    value: key ? `v=DKIM1; k=${key.algorithm}; p=${key.publicKey}` : null,
  }
}
