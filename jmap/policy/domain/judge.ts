/** Compares the records found in DNS with the expected ones (decision D7): a status per record. Pure. */
import { DOMAIN_FOUND_MAX, DOMAIN_FOUND_MAX_CHARS } from '../../../server/base/domain-limits.ts'
import type { DnsFinding, DnsRecord } from '../../type/host-ports.ts'
import type { ExpectedRecord } from './records.ts'

export type RecordStatus = 'verified' | 'not_found' | 'mismatch' | 'pending'

export interface Judgement {
  /** null: no authoritative server has responded. */
  readonly status: RecordStatus | null
  /** The records found, in zone file format. */
  readonly found: readonly string[]
  /** DMARC: a valid record that is not ours. */
  readonly isForeign?: boolean
}

export interface JudgeOptions {
  readonly spfMechanism: string
  readonly caaIssuer: string
  /** The owner wants our DMARC record and no other. */
  readonly wantsOwnDmarc: boolean
}

export function judge(expected: ExpectedRecord, finding: DnsFinding, options: JudgeOptions): Judgement {
  if (expected.value === null) return { status: 'pending', found: [] }
  if (finding.status === 'unknown') return { status: null, found: [] }
  const all = finding.status === 'found' ? finding.records : []
  const records = all.filter(relevanceOf(expected))
  const found = records.slice(0, DOMAIN_FOUND_MAX).map(present)
  if (records.length === 0) return { status: 'not_found', found }
  if (expected.key === 'dmarc') return { ...judgeDmarc(expected.value, records, options.wantsOwnDmarc), found }
  return { status: fits(expected, expected.value, records, options) ? 'verified' : 'mismatch', found }
}

/** A name may hold TXT records of many kinds: only those of the expected kind count. */
export function relevanceOf({ key }: ExpectedRecord): (record: DnsRecord) => boolean {
  switch (key) {
    case 'spf':
    case 'mail_from_spf':
      // RFC 7208 4.5
      return ({ value }) => /^v=spf1(?: |$)/i.test(value)
    case 'dmarc':
      return ({ value }) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(value)
    case 'mta_sts':
      return ({ value }) => /^v=STSv1\s*;/.test(value)
    case 'tls_rpt':
      return ({ value }) => /^v=TLSRPTv1\s*;/.test(value)
    case 'caa':
      return ({ value }) => /^\d+ issue /i.test(value)
    default:
      return () => true
  }
}

function present({ value, priority }: DnsRecord): string {
  const text = priority === undefined ? value : `${priority} ${value}`
  return text.slice(0, DOMAIN_FOUND_MAX_CHARS).toWellFormed()
}

function fits(
  expected: ExpectedRecord,
  value: string,
  records: readonly DnsRecord[],
  { spfMechanism, caaIssuer }: JudgeOptions,
): boolean {
  switch (expected.key) {
    case 'mx':
    case 'mail_from_mx':
      return isFirstHost(value, records)
    case 'spf':
    case 'mail_from_spf':
      return records.length === 1 && hasMechanism(records[0]!.value, spfMechanism)
    case 'dkim':
    case 'dkim_next':
    case 'dkim_old':
    case 'dkim_ed25519':
    case 'dkim_ed25519_next':
    case 'dkim_ed25519_old':
      // RFC 6376 3.6.2.2: with several records the result is undefined.
      return records.length === 1 && isSameKey(value, records[0]!.value)
    case 'mta_sts':
      return records.length === 1 && tagsOf(records[0]!.value).get('id') === tagsOf(value).get('id')
    case 'tls_rpt':
      // The owner chooses where reports go.
      return records.length === 1
    case 'caa':
      return records.some((record) => issuerOf(record.value) === caaIssuer.toLowerCase())
    default:
      return records.some((record) => record.value === value && (record.priority ?? 0) === (expected.priority ?? 0))
  }
}

/** Decision D7: our host has the lowest preference, and no other host has the same. */
function isFirstHost(host: string, records: readonly DnsRecord[]): boolean {
  const own = records.filter(({ value }) => value === host.toLowerCase()).map(({ priority }) => priority ?? 0)
  const others = records.filter(({ value }) => value !== host.toLowerCase()).map(({ priority }) => priority ?? 0)
  return own.length > 0 && others.every((preference) => preference > Math.min(...own))
}

/** RFC 7208 4.6.1: terms and their qualifiers; names compare without case. */
function hasMechanism(record: string, mechanism: string): boolean {
  const terms = record.toLowerCase().split(/ +/).slice(1)
  const wanted = mechanism.toLowerCase()
  // RFC 7208 5.1: mechanisms after `all` are not evaluated.
  const end = terms.findIndex((term) => /^[+?~-]?all$/.test(term))
  const reached = end < 0 ? terms : terms.slice(0, end)
  return reached.some((term) => term === wanted || term === `+${wanted}`)
}

/** RFC 6376 3.6.1 */
function isSameKey(expected: string, found: string): boolean {
  const [ours, theirs] = [tagsOf(expected), tagsOf(found)]
  const version = theirs.get('v')
  const hashes = theirs.get('h')?.split(':')
  const services = theirs.get('s')?.split(':')
  return (
    (version === undefined || version === 'DKIM1') &&
    (theirs.get('k') ?? 'rsa') === ours.get('k') &&
    theirs.get('p')?.replace(/\s/g, '') === ours.get('p') &&
    (hashes === undefined || hashes.some((hash) => hash.trim() === 'sha256')) &&
    (services === undefined || services.some((service) => ['*', 'email'].includes(service.trim())))
  )
}

/** RFC 7489 6.6.3: several records count as none; the policy must be one of the three. */
function judgeDmarc(expected: string, records: readonly DnsRecord[], wantsOwn: boolean): Omit<Judgement, 'found'> {
  if (records.length > 1) return { status: 'mismatch' }
  const [tags, ours] = [tagsOf(records[0]!.value), tagsOf(expected)]
  if (!['none', 'quarantine', 'reject'].includes(tags.get('p')?.toLowerCase() ?? '')) return { status: 'mismatch' }
  const isOurs = tags.size === ours.size && [...ours].every(([name, value]) => tags.get(name) === value)
  if (isOurs) return { status: 'verified' }
  return wantsOwn ? { status: 'mismatch' } : { status: 'verified', isForeign: true }
}

/** RFC 8659 4.2: the issuer's name, before its parameters. */
function issuerOf(value: string): string {
  return (/^\d+ issue "([^";]*)/i.exec(value)?.[1] ?? '').trim().toLowerCase()
}

/** RFC 6376 3.2: `name=value; name=value`. */
function tagsOf(record: string): Map<string, string> {
  const tags = new Map<string, string>()
  for (const part of record.split(';')) {
    const at = part.indexOf('=')
    if (at > 0) tags.set(part.slice(0, at).trim(), part.slice(at + 1).trim())
  }
  return tags
}
