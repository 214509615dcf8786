/**
 * Replaces DKIM keys by selector (RFC 6376 3.1). A new key is created and its record requested; the old key signs until the
 * authoritative servers have shown the new record, and the new key from then on. The old record stays while messages that it verifies
 * may be under way. Each algorithm rotates separately, because the record of one may be published and the other not.
 */
import { DKIM_OLD_RECORD_MS } from '../../../server/base/domain-limits.ts'
import type { Keyring } from '../../../server/base/keyring.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  type DkimAlgorithm,
  generationOf,
  type MadeDkimKey,
  makeDkimKey,
  type PublicDkimKey,
  publicOf,
} from './dkim-keys.ts'
import { keepDkimKey, promoteDkimKey } from './dkim-store.ts'
import type { StoredDomain } from './domain.type.ts'
import type { Judgement } from './judge.ts'
import { DKIM_RECORDS, type RecordKey } from './records.ts'
import { keysOf, showKey } from './stored.ts'

const ALGORITHMS = ['rsa', 'ed25519'] as const satisfies readonly DkimAlgorithm[]

/** Whether a key waits for its record. */
export function isRotating(domain: StoredDomain): boolean {
  return keysOf(domain).some(({ stage }) => stage === 'next')
}

/** Whether the signing key has reached its maximum age. @param lifetimeMs 0: no maximum */
export function isRotationDue(domain: StoredDomain, now: number, lifetimeMs: number): boolean {
  if (lifetimeMs === 0 || domain.status !== 'verified' || isRotating(domain)) return false
  const signing = keysOf(domain).findLast(({ algorithm, stage }) => algorithm === 'rsa' && stage === undefined)
  return now - (signing?.madeAt ?? Date.parse(domain.createdAt)) >= lifetimeMs
}

/** Keys of the next generation, for each algorithm without a waiting key. */
export function makeNextKeys(domain: StoredDomain): Promise<MadeDkimKey[]> {
  const keys = keysOf(domain)
  const generation = 1 + Math.max(...keys.map(({ selector }) => generationOf(selector)))
  const missing = ALGORITHMS.filter(
    (kind) => !keys.some(({ algorithm, stage }) => algorithm === kind && stage === 'next'),
  )
  return Promise.all(missing.map((algorithm) => makeDkimKey(algorithm, generation)))
}

/** Stores keys that wait for their records. Keys that another call has created meanwhile stay. */
export async function addNextKeys(
  unit: AccountUnit,
  number: number,
  domain: StoredDomain,
  made: readonly MadeDkimKey[],
  keyring: Keyring,
): Promise<StoredDomain> {
  let dkimKeys = keysOf(domain)
  for (const key of made) {
    const stands = ({ selector, algorithm, stage }: PublicDkimKey) =>
      selector === key.selector || (algorithm === key.algorithm && stage === 'next')
    if (dkimKeys.some(stands)) continue
    await keepDkimKey(unit, number, key, keyring, true)
    dkimKeys = [...dkimKeys, { ...publicOf(key), stage: 'next', madeAt: unit.now }]
  }
  return { ...domain, dkimKeys }
}

type Judgements = ReadonlyMap<RecordKey, Judgement>

/** A domain after a check, with each key whose record was found in the place of the key before it. */
export interface Switched {
  readonly domain: StoredDomain
  readonly judgements: Judgements
  readonly selectors: readonly string[]
}

export function switchKeys(domain: StoredDomain, judgements: Judgements, now: number): Switched {
  let switched: Switched = { domain, judgements, selectors: [] }
  for (const algorithm of ALGORITHMS)
    if (judgements.get(`${DKIM_RECORDS[algorithm]}_next`)?.status === 'verified')
      switched = switchOne(switched, algorithm, now)
  return switched
}

function switchOne({ domain, judgements, selectors }: Switched, kind: DkimAlgorithm, now: number): Switched {
  const record = DKIM_RECORDS[kind]
  // A record that was never published need not stay.
  const isOldThere = judgements.get(record)?.status !== 'not_found'
  const dkimKeys = keysOf(domain).flatMap((key): PublicDkimKey[] => {
    if (key.algorithm !== kind) return [key]
    const { stage, ...rest } = key
    if (stage === 'next') return [rest]
    return stage === undefined && isOldThere ? [{ ...key, stage: 'old' as const, retiredAt: now }] : []
  })
  const next = dkimKeys.find(({ algorithm, stage }) => algorithm === kind && stage === undefined)!
  const { check = null } = domain
  return {
    domain: {
      ...domain,
      dkimKeys,
      ...(kind === 'rsa' && { dkim: showKey(domain.name, next) }),
      check: check && { ...check, records: moved(check.records, record, isOldThere) },
    },
    judgements: new Map(Object.entries(moved(Object.fromEntries(judgements), record, isOldThere))) as Judgements,
    selectors: [...selectors, next.selector],
  }
}

/** The state of the record of the next key becomes the state of the record of the signing key, and so on. */
function moved<T>(
  known: { readonly [K in RecordKey]?: T },
  record: 'dkim' | 'dkim_ed25519',
  isOldThere: boolean,
): { readonly [K in RecordKey]?: T } {
  const { [`${record}_next` as const]: next, [`${record}_old` as const]: _gone, [record]: signing, ...others } = known
  return {
    ...others,
    ...(next !== undefined && { [record]: next }),
    ...(isOldThere && signing !== undefined && { [`${record}_old`]: signing }),
  } as { readonly [K in RecordKey]?: T }
}

/** Inside the unit of work that stores a switched domain. */
export async function promoteKeys(unit: AccountUnit, number: number, { selectors }: Switched): Promise<void> {
  for (const selector of selectors) await promoteDkimKey(unit, number, selector)
}

/** Removes keys whose records are no longer needed. */
export function withoutPastKeys(domain: StoredDomain, now: number): StoredDomain {
  const isPast = ({ retiredAt }: PublicDkimKey) => retiredAt !== undefined && now >= retiredAt + DKIM_OLD_RECORD_MS
  if (!keysOf(domain).some(isPast)) return domain
  return { ...domain, dkimKeys: keysOf(domain).filter((key) => !isPast(key)) }
}
