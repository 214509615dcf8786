/** Idempotency slots in memory, for tests of the router without a core. */
import type { Begun, IdempotencySlot, StoredAnswer } from '../../jmap/idempotency.ts'
import type { Idempotency } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { IDEMPOTENCY_TTL_MS } from '../../server/base/limits.ts'

interface Entry {
  readonly fingerprint: string
  readonly begunAt: number
  answer: StoredAnswer | null
}

export class MemoryIdempotency implements Idempotency {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async begin(slot: IdempotencySlot): Promise<Begun> {
    const now = this.#clock.now()
    const entry = this.#entries.get(nameOf(slot))
    if (entry && entry.begunAt + IDEMPOTENCY_TTL_MS > now) {
      if (entry.fingerprint !== slot.fingerprint) return { status: 'mismatch' }
      return entry.answer ? { status: 'done', answer: entry.answer } : { status: 'running' }
    }
    this.#entries.set(nameOf(slot), { fingerprint: slot.fingerprint, begunAt: now, answer: null })
    return { status: 'new', lease: '', begunAt: now, lastRound: null, past: [] }
  }

  async extend(slot: IdempotencySlot): Promise<boolean> {
    const entry = this.#entries.get(nameOf(slot))
    return entry !== undefined && entry.answer === null
  }

  async finish(slot: IdempotencySlot, _lease: string, answer: StoredAnswer): Promise<void> {
    this.#entries.get(nameOf(slot))!.answer = answer
  }

  async abandon(slot: IdempotencySlot): Promise<void> {
    this.#entries.delete(nameOf(slot))
  }
}

function nameOf({ organization, name }: IdempotencySlot): string {
  return `${organization} ${name}`
}
