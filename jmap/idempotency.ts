/**
 * Requests that a client may send again (api/decisions.md D2): one of several with the same key runs, the others wait or are answered as it
 * was. What it does is written down with its effects (idempotent-steps.ts), so that after a crash the next one goes on where it stopped.
 */
import { randomUUID } from 'node:crypto'
import { IDEMPOTENCY_LEASE_MS, IDEMPOTENCY_TTL_MS } from '../server/base/limits.ts'
import type { Unit } from '../storage/ports.ts'
import {
  answerSlot,
  deleteSlot,
  insertSlot,
  type LeasedSlot,
  lastRound,
  lendSlot,
  lockSlot,
  releaseSlot,
  renewSlot,
} from '../storage/repos/idempotency.ts'
import type { Services } from './context.ts'
import type { Json } from './core.ts'
import { placeOf } from './idempotent-steps.ts'

/** One use of a key. Plain data. */
export interface IdempotencySlot {
  /** Account number of the organization. */
  readonly organization: number
  /** Hash of method, path and key: 43 base64url characters. */
  readonly name: string
  /** Hash of the request: the same key with another one is a mistake. */
  readonly fingerprint: string
}

export interface StoredAnswer {
  readonly status: number
  readonly body: string
  /** Id of the request that was answered so. */
  readonly requestId: string
}

/** The caller runs the request, and must finish or abandon it. */
export interface NewRun {
  readonly status: 'new'
  readonly lease: string
  /** Epoch ms at which it was begun first. */
  readonly begunAt: number
  /** The last round of calls that did something; null: none has. */
  readonly lastRound: number | null
  /** Answers of the rounds before that one. */
  readonly past: readonly Json[]
}

export type Begun =
  | NewRun
  | { readonly status: 'running' }
  | { readonly status: 'mismatch' }
  | { readonly status: 'done'; readonly answer: StoredAnswer }

/** Keeps answers for 24 hours. Of two that begin a slot at once exactly one gets `new`. */
export interface Idempotency {
  begin(slot: IdempotencySlot): Promise<Begun>
  finish(slot: IdempotencySlot, lease: string, answer: StoredAnswer): Promise<void>
  /** @param goesOn what was done stays, for the next one to go on; else the key may be used as if it had not been */
  abandon(slot: IdempotencySlot, lease: string, goesOn: boolean): Promise<void>
}

export class LocalIdempotency implements Idempotency {
  readonly #services: Pick<Services, 'store' | 'keyring'>

  constructor(services: Pick<Services, 'store' | 'keyring'>) {
    this.#services = services
  }

  begin(slot: IdempotencySlot): Promise<Begun> {
    const lease = randomUUID()
    return this.#write(slot, (work) => this.#begin(work, slot, lease))
  }

  async finish(slot: IdempotencySlot, lease: string, answer: StoredAnswer): Promise<void> {
    const sealed = this.#services.keyring.seal(JSON.stringify(answer), placeOf(slot))
    await this.#write(slot, ({ sql }) => answerSlot(sql, leased(slot, lease), sealed))
  }

  async abandon(slot: IdempotencySlot, lease: string, goesOn: boolean): Promise<void> {
    const end = goesOn ? releaseSlot : deleteSlot
    await this.#write(slot, ({ sql }) => end(sql, leased(slot, lease)))
  }

  /** The organization's row comes first, as always: two nodes that take several slots must not wait for each other. */
  #write<T>({ organization }: IdempotencySlot, work: (unit: Unit) => Promise<T>): Promise<T> {
    return this.#services.store.write([organization], work)
  }

  async #begin({ sql, now }: Unit, slot: IdempotencySlot, lease: string): Promise<Begun> {
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
    const anew: NewRun = { status: 'new', lease, begunAt: now, lastRound: null, past: [] }
    if (await insertSlot(sql, fresh)) return anew
    const row = await lockSlot(sql, slot)
    // Whoever had it has just given it up.
    if (!row) return { status: 'running' }
    if (row.expires_at <= now) {
      await renewSlot(sql, fresh)
      return anew
    }
    if (row.fingerprint !== fingerprint) return { status: 'mismatch' }
    if (row.answer !== null)
      return {
        status: 'done',
        answer: JSON.parse(this.#services.keyring.open(row.answer, placeOf(slot))) as StoredAnswer,
      }
    if (row.lease_until > now) return { status: 'running' }
    await lendSlot(sql, leased(slot, lease), now + IDEMPOTENCY_LEASE_MS)
    const last = await lastRound(sql, slot)
    const past = last?.past ? (JSON.parse(this.#services.keyring.open(last.past, placeOf(slot))) as Json[]) : []
    return { ...anew, begunAt: row.begun_at, lastRound: last?.round ?? null, past }
  }
}

function leased({ organization, name }: IdempotencySlot, lease: string): LeasedSlot {
  return { organization, name, lease }
}
