/** The effect of a check on a domain (decision D7): states, transitions, events, and the time of the next check. Pure. */
import {
  DOMAIN_CHECK_DEGRADED_MS,
  DOMAIN_CHECK_FAILED_MS,
  DOMAIN_CHECK_PENDING_MS,
  DOMAIN_CHECK_VERIFIED_MS,
  DOMAIN_DEGRADE_AFTER_MS,
  DOMAIN_DKIM_GRACE_MS,
  DOMAIN_PENDING_MAX_MS,
  DOMAIN_UNANSWERED_MS,
} from '../../../server/base/domain-limits.ts'
import type { Judgement, RecordStatus } from './judge.ts'
import { REQUIRED_KEYS, type RecordKey } from './records.ts'

/** `registering`, `registration_failed`: of a domain that is bought (jmap/policy/registration). No check leads there or away. */
export type DomainStatus = 'pending' | 'verified' | 'degraded' | 'failed' | 'registering' | 'registration_failed'
export type DomainEvent = 'domain.verified' | 'domain.verification_failed' | 'domain.degraded'

/** State of a record after the last check; times in epoch ms. */
export interface RecordState {
  readonly status: RecordStatus
  readonly found: readonly string[]
  /** The first of the present series of failing checks. */
  readonly failingSince: number | null
  /** The first of the present series of checks without a response. */
  readonly unansweredSince: number | null
}

export type RecordStates = { readonly [K in RecordKey]?: RecordState }

export interface CheckState {
  readonly checkedAt: number
  /** When a user last asked for a check; showing the records does not count. */
  readonly askedAt?: number
  /** The expected value of the TLSA record of our mail host, if that is in the domain and the domain is signed. */
  readonly tlsa?: string | null
  readonly records: RecordStates
}

export interface DomainBefore {
  readonly status: DomainStatus
  /** Epoch ms from which the domain is pending. */
  readonly createdAt: number
  readonly check: CheckState | null
}

export interface DomainAfter {
  readonly status: DomainStatus
  readonly check: CheckState
  readonly event: DomainEvent | null
  /** Epoch ms of the next check. */
  readonly nextAt: number
}

/** @param isManual a user asked for the check and gets the result in any case */
export function afterCheck(
  before: DomainBefore,
  judgements: ReadonlyMap<RecordKey, Judgement>,
  now: number,
  isManual: boolean,
): DomainAfter {
  const records = Object.fromEntries(
    [...judgements].map(([key, judgement]) => [key, nextRecord(before.check?.records[key], judgement, now)]),
  ) as RecordStates
  const askedAt = isManual ? now : before.check?.askedAt
  const check = { checkedAt: now, records, ...(askedAt !== undefined && { askedAt }) }
  const status = nextStatus(before, records, now)
  return {
    status,
    check,
    event: eventOf(before, status, records, isManual),
    nextAt: now + waitOf(before, status, records, now),
  }
}

function nextRecord(before: RecordState | undefined, { status, found }: Judgement, now: number): RecordState {
  if (status === null) {
    const unansweredSince = before?.unansweredSince ?? now
    const isLost = before === undefined || now - unansweredSince >= DOMAIN_UNANSWERED_MS
    if (!isLost) return { ...before, unansweredSince }
    return { status: 'not_found', found: [], failingSince: before?.failingSince ?? now, unansweredSince }
  }
  const failingSince = status === 'verified' ? null : (before?.failingSince ?? now)
  return { status, found, failingSince, unansweredSince: null }
}

function nextStatus(before: DomainBefore, records: RecordStates, now: number): DomainStatus {
  if (before.status === 'registering' || before.status === 'registration_failed') return before.status
  const required = REQUIRED_KEYS.map((key) => records[key])
  const isProven = required.every((record) => record?.status === 'verified' && record.unansweredSince === null)
  if (isProven) return 'verified'
  switch (before.status) {
    case 'pending':
      return now - before.createdAt >= DOMAIN_PENDING_MAX_MS ? 'failed' : 'pending'
    case 'verified':
      return required.some((record) => isFailingFor(record, DOMAIN_DEGRADE_AFTER_MS, now)) ? 'degraded' : 'verified'
    default:
      return before.status
  }
}

function isFailingFor(record: RecordState | undefined, ms: number, now: number): boolean {
  return record !== undefined && record.failingSince !== null && now - record.failingSince >= ms
}

function eventOf(
  before: DomainBefore,
  status: DomainStatus,
  records: RecordStates,
  isManual: boolean,
): DomainEvent | null {
  if (status !== before.status) {
    if (status === 'verified') return 'domain.verified'
    return status === 'degraded' ? 'domain.degraded' : 'domain.verification_failed'
  }
  if (status !== 'pending' && status !== 'failed') return null
  // Decision D7: a known result is only reported if a user asked for the check.
  const differs = REQUIRED_KEYS.some((key) => before.check?.records[key]?.status !== records[key]?.status)
  return differs || isManual ? 'domain.verification_failed' : null
}

function waitOf(before: DomainBefore, status: DomainStatus, records: RecordStates, now: number): number {
  switch (status) {
    case 'pending':
      return DOMAIN_CHECK_PENDING_MS.find(({ until }) => now - before.createdAt < until)!.every
    case 'verified': {
      const isDoubtful = REQUIRED_KEYS.some((key) => {
        const record = records[key]
        return record?.failingSince !== null || record.unansweredSince !== null
      })
      return isDoubtful ? DOMAIN_DEGRADE_AFTER_MS : DOMAIN_CHECK_VERIFIED_MS
    }
    case 'degraded':
      return DOMAIN_CHECK_DEGRADED_MS
    case 'failed':
    case 'registering':
    case 'registration_failed':
      return DOMAIN_CHECK_FAILED_MS
  }
}

export function isVerifiedStatus(status: string): boolean {
  return status === 'verified' || status === 'degraded'
}

/** Decision D7: a degraded domain may send, unless its signatures have failed for too long. */
export function maySend(status: string, check: CheckState | null, now: number): boolean {
  if (status !== 'degraded') return status === 'verified'
  const dkim = check?.records.dkim
  // If our queries get no response, others may still be able to read the record.
  return dkim?.unansweredSince !== null || !isFailingFor(dkim, DOMAIN_DKIM_GRACE_MS, now)
}
