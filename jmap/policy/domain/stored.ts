/** Values that derive from a stored domain: its keys, its records, its flags. */

import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Hosting } from '../../type/host-ports.ts'
import type { PublicDkimKey } from './dkim-keys.ts'
import type { DkimKey, DnsRecordSet, StoredDomain } from './domain.type.ts'
import { type ExpectedRecord, expectedRecords, type REQUIRED_KEYS } from './records.ts'
import { isVerifiedStatus, type RecordStates } from './state.ts'

export function keysOf({ dkim, dkimKeys }: StoredDomain): readonly PublicDkimKey[] {
  return dkimKeys ?? [{ selector: dkim.selector, algorithm: 'rsa', publicKey: dkim.publicKey }]
}

export function showKey(domain: string, { selector, publicKey }: PublicDkimKey): DkimKey {
  const recordName = `${selector}._domainkey.${domain}`
  return { selector, publicKey, recordName, recordValue: `v=DKIM1; k=rsa; p=${publicKey}` }
}

export function recordsOf(domain: StoredDomain, hosting: Hosting): ExpectedRecord[] {
  return expectedRecords({ name: domain.name, keys: keysOf(domain), tlsa: domain.check?.tlsa ?? null }, hosting)
}

/** Flags that clients see beside the status. */
export function flagsOf(records: RecordStates) {
  const is = (key: (typeof REQUIRED_KEYS)[number]) => records[key]?.status === 'verified'
  return {
    mxVerified: is('mx'),
    spfVerified: is('spf'),
    dkimVerified: is('dkim'),
    dmarcVerified: is('dmarc'),
    outboundVerified: is('mail_from_mx') && is('mail_from_spf'),
  }
}

/** The property dnsRecords. */
export function presentRecords(domain: StoredDomain, hosting: Hosting): DnsRecordSet {
  const check = domain.check ?? null
  // A domain that was verified without DNS counts as verified until the first check.
  const unchecked = isVerifiedStatus(domain.status) ? 'verified' : 'not_found'
  const records = recordsOf(domain, hosting).map(
    ({ key, type, host, value, priority, ttl, isRecommended, neededUntil }) => ({
      key,
      type,
      host,
      value,
      priority: priority ?? null,
      ttl,
      isRecommended,
      status: value === null ? 'pending' : (check?.records[key]?.status ?? (isRecommended ? 'not_found' : unchecked)),
      foundValues: [...(check?.records[key]?.found ?? [])],
      neededUntil: neededUntil === undefined ? null : formatUTCDate(neededUntil),
    }),
  )
  return {
    checkedAt: check && formatUTCDate(check.checkedAt),
    allVerified: records.every(({ isRecommended, status }) => isRecommended || status === 'verified'),
    records,
  }
}
