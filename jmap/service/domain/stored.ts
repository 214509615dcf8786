/** A domain as it is kept: what the type declares, and what only its rules know. */
import type { JsonObject } from '../../protocol/json.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { PublicDkimKey } from './dkim-keys.ts'
import type { Hosting } from './hosting.ts'
import { type ExpectedRecord, expectedRecords, type REQUIRED_KEYS } from './records.ts'
import { type CheckState, type DomainStatus, isVerifiedStatus, type RecordStates } from './state.ts'

/** The property dkim. */
export type ShownDkimKey = {
  readonly selector: string
  readonly publicKey: string
  readonly recordName: string
  readonly recordValue: string
}

export interface StoredDomain {
  readonly name: string
  readonly status: DomainStatus
  readonly dnsProvider: string
  readonly dmarcManagedExternally: boolean
  readonly catchAllMailboxId: string | null
  readonly verifiedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** The RSA key that signs, as clients see it. */
  readonly dkim: ShownDkimKey
  /** Absent in domains of before Ed25519. */
  readonly dkimKeys?: readonly PublicDkimKey[]
  readonly check?: CheckState | null
  /**
   * Whoever has the machine made it verified, and DNS has never shown all of its records since: he may have reasons, such as a relay
   * that signs. Absent in domains of before there were checks.
   */
  readonly isTrusted?: boolean
  /** The owner has said that DMARC is not managed elsewhere. */
  readonly wantsOwnDmarc?: boolean
}

export function keysOf({ dkim, dkimKeys }: StoredDomain): readonly PublicDkimKey[] {
  return dkimKeys ?? [{ selector: dkim.selector, algorithm: 'rsa', publicKey: dkim.publicKey }]
}

export function showKey(domain: string, { selector, publicKey }: PublicDkimKey): ShownDkimKey {
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
export function presentRecords(domain: StoredDomain, hosting: Hosting): JsonObject {
  const check = domain.check ?? null
  // Who was verified without a look at DNS is believed until the first one.
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
