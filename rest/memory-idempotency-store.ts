/** Answers to Idempotency-Keys in memory. They last for the process only: after a restart a repeated request runs again. */
import type { Clock } from '../server/base/clock.ts'
import { IDEMPOTENCY_MEMORY_MAX, IDEMPOTENCY_MEMORY_MAX_CHARS, IDEMPOTENCY_TTL_MS } from '../server/base/limits.ts'
import type { Begun, IdempotencySlot, IdempotencyStore, StoredAnswer } from './idempotency.ts'

interface Entry {
  readonly fingerprint: string
  readonly until: number
  answer: StoredAnswer | null
}

/** Lasts for the process only, and within bounds: beyond them the oldest answers go first. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  readonly #clock: Clock
  readonly #limits: { readonly entries: number; readonly chars: number }
  readonly #entries = new Map<string, Entry>()
  #chars = 0

  constructor(clock: Clock, limits = { entries: IDEMPOTENCY_MEMORY_MAX, chars: IDEMPOTENCY_MEMORY_MAX_CHARS }) {
    this.#clock = clock
    this.#limits = limits
  }

  async begin(slot: IdempotencySlot): Promise<Begun> {
    const entry = this.#find(slot)
    if (entry && entry.fingerprint !== slot.fingerprint) return { status: 'mismatch' }
    if (entry) return entry.answer ? { status: 'done', answer: entry.answer } : { status: 'running' }
    const until = this.#clock.now() + IDEMPOTENCY_TTL_MS
    this.#entries.set(keyOf(slot), { fingerprint: slot.fingerprint, until, answer: null })
    this.#trim()
    return { status: 'new' }
  }

  async finish(slot: IdempotencySlot, answer: StoredAnswer): Promise<void> {
    const entry = this.#entries.get(keyOf(slot))
    if (!entry || entry.answer) return
    entry.answer = answer
    this.#chars += answer.body.length
    this.#trim()
  }

  async abandon(slot: IdempotencySlot): Promise<void> {
    this.#drop(keyOf(slot))
  }

  #find(slot: IdempotencySlot): Entry | undefined {
    const entry = this.#entries.get(keyOf(slot))
    if (!entry || entry.until > this.#clock.now()) return entry
    this.#drop(keyOf(slot))
    return undefined
  }

  #drop(key: string): void {
    this.#chars -= this.#entries.get(key)?.answer?.body.length ?? 0
    this.#entries.delete(key)
  }

  /** Oldest first; a slot that is running stays, since dropping it would let its request run twice. */
  #trim(): void {
    if (this.#entries.size <= this.#limits.entries && this.#chars <= this.#limits.chars) return
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#limits.entries && this.#chars <= this.#limits.chars) return
      if (entry.answer) this.#drop(key)
    }
  }
}

function keyOf(slot: IdempotencySlot): string {
  return `${slot.organization} ${slot.name}`
}
