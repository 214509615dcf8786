/**
 * Requests with an Idempotency-Key (decision D2): one of several requests with the same key runs; the others wait or get its answer. Its
 * effects are recorded in the same units of work (idempotent-steps.ts), so that after a crash the next run continues where it stopped.
 */

import { randomUUID } from 'node:crypto'
import type { Json } from '../server/base/json.ts'
import type { Keyring } from '../server/base/keyring.ts'
import { IDEMPOTENCY_LEASE_MS, IDEMPOTENCY_TTL_MS } from '../server/base/limits.ts'
import type { Store, Unit } from '../storage/ports.ts'
import {
  answerSlot,
  deleteSlot,
  extendSlot,
  insertSlot,
  type LeasedSlot,
  leaseSlot,
  lockSlot,
  releaseSlot,
  renewSlot,
} from '../storage/repos/idempotency.ts'
import { lastRound } from '../storage/repos/idempotency-steps.ts'
import type { Services } from './type/context.ts'
import { placeOf } from './type/idempotent-steps.ts'

/** One use of a key. Plain data. */
export interface IdempotencySlot {
  /** Account number of the organization. */
  readonly organization: number
  /** Hash of method, path and key: 43 base64url characters. */
  readonly name: string
  /** Hash of the request. The same key with another request is refused. */
  readonly fingerprint: string
}

export interface StoredAnswer {
  readonly status: number
  readonly body: string
  /** Id of the request that got this answer. */
  readonly requestId: string
}

/** The caller runs the request and must finish or abandon the slot. */
export interface NewRun {
  readonly status: 'new'
  readonly lease: string
  /** Epoch ms when the first run began. */
  readonly begunAt: number
  /** The last round of calls that had an effect; null: none had. */
  readonly lastRound: number | null
  /** Answers of the rounds before that one. */
  readonly past: readonly Json[]
}

export type Begun =
  | NewRun
  | { readonly status: 'running' }
  | { readonly status: 'mismatch' }
  | { readonly status: 'done'; readonly answer: StoredAnswer }

type Needs = Pick<Services, 'store' | 'keyring'>

/** Responses are kept for 24 hours. If two calls begin a slot at once, one of them gets `new`. */
export function beginSlot({ store, keyring }: Needs, slot: IdempotencySlot): Promise<Begun> {
  const lease = randomUUID()
  return inOrganization(store, slot, (work) => begin(keyring, work, slot, lease))
}

export async function finishSlot(
  { store, keyring }: Needs,
  slot: IdempotencySlot,
  lease: string,
  answer: StoredAnswer,
): Promise<void> {
  const sealed = keyring.seal(JSON.stringify(answer), placeOf(slot))
  await inOrganization(store, slot, ({ sql }) => answerSlot(sql, leased(slot, lease), sealed))
}

/**
 * A run renews its lease while it goes on, so that a request of a dead process can soon be resumed.
 * @returns false: another run has taken over the request, or it has ended
 */
export function extendLease({ store }: Needs, slot: IdempotencySlot, lease: string): Promise<boolean> {
  return inOrganization(store, slot, ({ sql, now }) => extendSlot(sql, leased(slot, lease), now + IDEMPOTENCY_LEASE_MS))
}

/** @param goesOn true: the effects stay recorded and the next run continues after them; false: the key is free again */
export async function abandonSlot(
  { store }: Needs,
  slot: IdempotencySlot,
  lease: string,
  goesOn: boolean,
): Promise<void> {
  const end = goesOn ? releaseSlot : deleteSlot
  await inOrganization(store, slot, ({ sql }) => end(sql, leased(slot, lease)))
}

/** Locks the organization's row first, so that two nodes that take several slots cannot deadlock. */
function inOrganization<T>(
  store: Store,
  { organization }: IdempotencySlot,
  work: (unit: Unit) => Promise<T>,
): Promise<T> {
  return store.write([organization], work)
}

async function begin(keyring: Keyring, { sql, now }: Unit, slot: IdempotencySlot, lease: string): Promise<Begun> {
  const { organization, name, fingerprint } = slot
  const fresh = {
    organization,
    name,
    fingerprint,
    begun_at: now,
    expires_at: now + IDEMPOTENCY_TTL_MS,
    lease,
    lease_until: now + IDEMPOTENCY_LEASE_MS,
  }
  const first: NewRun = { status: 'new', lease, begunAt: now, lastRound: null, past: [] }
  if (await insertSlot(sql, fresh)) return first
  const row = await lockSlot(sql, slot)
  // The other run has just deleted the slot.
  if (!row) return { status: 'running' }
  if (row.expires_at <= now) {
    await renewSlot(sql, fresh)
    return first
  }
  if (row.fingerprint !== fingerprint) return { status: 'mismatch' }
  const open = <T>(sealed: string) => JSON.parse(keyring.open(sealed, placeOf(slot))) as T
  if (row.answer !== null) return { status: 'done', answer: open<StoredAnswer>(row.answer) }
  if (row.lease_until > now) return { status: 'running' }
  await leaseSlot(sql, leased(slot, lease), now + IDEMPOTENCY_LEASE_MS)
  const last = await lastRound(sql, slot)
  const past = last?.past ? open<Json[]>(last.past) : []
  return { ...first, begunAt: row.begun_at, lastRound: last?.round ?? null, past }
}

function leased({ organization, name }: IdempotencySlot, lease: string): LeasedSlot {
  return { organization, name, lease }
}
