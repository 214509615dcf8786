/** The DNS records of a domain, and their check. */
import { createHash } from 'node:crypto'
import { DomainVerify } from '../../jmap/policy/domain/domain.type.ts'
import { knownId } from '../access/ids.ts'
import { call, get, onlyOne } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { endpoint, FileAnswer } from '../endpoint.ts'
import { notFound } from '../errors/api-error.ts'
import { fromSetError } from '../errors/jmap-errors.ts'
import type { DnsRecordSetObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { toSnake } from '../schema/to-snake.ts'
import { zoneFile } from '../shapes/zone-file.ts'
import { Domain, TAG } from './domains.ts'

const DnsRecord = s.named(
  'DnsRecord',
  s.object({
    key: s.string({
      description:
        '`mx`, `spf`, `mail_from_mx`, `mail_from_spf`, `dkim`, `dmarc`; others are recommended ones, such as `dkim_next`: a new key, which signs once its record is published.',
    }),
    type: s.string({ examples: ['MX'] }),
    host: s.string({ description: 'Fully qualified, without a dot at the end.', examples: ['example.com'] }),
    value: s.string({ description: 'The expected value. TXT is unquoted and in one piece.' }),
    priority: s.optional(s.integer({ description: 'Only for MX records.' })),
    ttl: s.integer({ description: 'Seconds.' }),
    status: s.oneOf(['verified', 'not_found', 'mismatch', 'pending'], '`pending`: the value does not exist yet.'),
    found_values: s.array(s.string(), { description: 'The values found.' }),
    recommended: s.optional(s.boolean('Not required for verification.')),
    needed_until: s.optional(
      s.timestamp(
        'For the record of a DKIM key that no longer signs: the time from which it may be removed. It then leaves this list.',
      ),
    ),
  }),
)

export const DnsRecordSet = s.resource('DnsRecordSet', 'dns_record_set', {
  domain_id: s.id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  domain_name: s.string({ examples: ['example.com'] }),
  all_verified: s.boolean(),
  checked_at: s.timestamp(),
  records: s.array(DnsRecord),
})

export const getDnsRecords = endpoint({
  method: 'GET',
  path: '/v1/domains/{domain_id}/dns-records',
  operationId: 'getDnsRecords',
  tag: TAG,
  summary: "Get a domain's DNS records, and the records found now",
  description: 'With `format=zone` the records are text for a zone file.',
  scope: 'domains:read',
  tier: 'verification',
  query: s.object({
    include: s.optional(
      s.oneOf(['recommended'], 'Adds records that are recommended but not required for verification.'),
    ),
    format: s.optional(s.oneOf(['json', 'zone'])),
  }),
  response: DnsRecordSet,
  fileType: 'text/plain',
  errors: ['not_found'],
  async run({ params, query, organization, now }, jmap) {
    const domain = await check(jmap, organization, params.domain_id, true)
    const { name, dnsRecords } = domain
    const wanted = dnsRecords.records.filter(({ isRecommended }) => query.include === 'recommended' || !isRecommended)
    if (query.format === 'zone') return new FileAnswer(toFile(name, wanted))
    return {
      object: 'dns_record_set' as const,
      domain_id: domain.id,
      domain_name: name,
      all_verified: dnsRecords.allVerified,
      checked_at: instant(dnsRecords.checkedAt ?? new Date(now).toISOString()),
      records: wanted.map(toRecord),
    }
  },
})

export const verifyDomain = endpoint({
  method: 'POST',
  path: '/v1/domains/{domain_id}/verification',
  operationId: 'verifyDomain',
  tag: TAG,
  summary: "Check a domain's DNS records now",
  description:
    'Once a minute for each domain. The events `domain.verified` and `domain.verification_failed` report the results of later checks.',
  scope: 'domains:read',
  tier: 'verification',
  response: Domain,
  errors: ['not_found'],
  run: async ({ params, organization }, jmap) =>
    toSnake(Domain, await check(jmap, organization, params.domain_id, false)),
})

/** Checks the records in DNS. @param isQuiet a failure that is known already makes no event */
async function check(jmap: JmapClient, accountId: string, given: string, isQuiet: boolean) {
  const domainId = knownId(given, 'domain')
  const { checked, found } = await jmap.call({
    checked: call(DomainVerify, { accountId, ids: [domainId], isQuiet }),
    found: get('Domain', { accountId, ids: [domainId], properties: DOMAIN_PROPERTIES }),
  })
  const error = checked.notChecked?.[domainId]
  if (error) throw error.type === 'notFound' ? notFound('domain') : fromSetError(error)
  return onlyOne(found, 'domain')
}

const DOMAIN_PROPERTIES = [
  'id',
  'name',
  'status',
  'managedBy',
  'dnsProvider',
  'mxVerified',
  'spfVerified',
  'dkimVerified',
  'dmarcVerified',
  'outboundVerified',
  'dmarcManagedExternally',
  'catchAllMailboxId',
  'verifiedAt',
  'expiresAt',
  'autoRenew',
  'renewalError',
  'dnsApi',
  'createdAt',
  'updatedAt',
  'dnsRecords',
] as const

type RecordObject = DnsRecordSetObject['records'][number]

function toRecord(record: RecordObject): s.Infer<typeof DnsRecord> {
  const { key, type, host, value, priority, ttl, status, foundValues, isRecommended, neededUntil } = record
  const text = value ?? ''
  return {
    key,
    type,
    host,
    // Decision D7: only MX has its priority apart.
    value: type === 'SRV' && value !== null ? `${priority} ${text}` : text,
    ...(type === 'MX' && priority !== null && { priority }),
    ttl,
    status,
    found_values: foundValues,
    ...(isRecommended && { recommended: true }),
    ...(neededUntil !== null && { needed_until: instant(neededUntil) }),
  }
}

function toFile(name: string, records: readonly RecordObject[]) {
  const made = records.flatMap(({ value, ...record }) => (value === null ? [] : [{ ...record, value }]))
  const bytes = Buffer.from(zoneFile(made))
  return {
    type: 'text/plain; charset=utf-8',
    name: `${name}.zone`,
    tag: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
    size: bytes.length,
    cacheControl: 'no-store',
    read: async (start: number, end: number) => bytes.subarray(start, end),
  }
}

export const domainRecordEndpoints = [getDnsRecords, verifyDomain]
