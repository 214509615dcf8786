/** Token buckets of one size, by name. They are in memory, up to a maximum number. */
import type { Clock } from '../clock.ts'
import { forgetOldest } from '../forget-oldest.ts'
import { RATE_BUCKETS_MAX } from '../limits.ts'

const MINUTE_MS = 60_000

interface Bucket {
  tokens: number
  /** Epoch ms at which `tokens` was counted. */
  at: number
}

export class TokenBuckets {
  readonly #clock: Clock
  readonly #perMs: number
  readonly #max: number
  readonly burst: number
  /** In the order of last use; the oldest are forgotten first. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock, perMinute: number, burst: number, max = RATE_BUCKETS_MAX) {
    this.#clock = clock
    this.#perMs = perMinute / MINUTE_MS
    this.burst = burst
    this.#max = max
  }

  get size(): number {
    return this.#buckets.size
  }

  tokens(name: string): number {
    const bucket = this.#buckets.get(name)
    if (!bucket) return this.burst
    const passed = Math.max(0, this.#clock.now() - bucket.at)
    return Math.min(this.burst, bucket.tokens + passed * this.#perMs)
  }

  /** Takes one token. The caller has checked that there is one. */
  take(name: string): void {
    const tokens = this.tokens(name) - 1
    this.#buckets.delete(name)
    this.#buckets.set(name, { tokens, at: this.#clock.now() })
    forgetOldest(this.#buckets, this.#max)
  }

  /** Seconds until there is a token, at least 1. */
  secondsToToken(name: string): number {
    return this.#secondsTo(name, 1)
  }

  /** Seconds, at least 1, until the bucket is full. */
  secondsToFull(name: string): number {
    return this.#secondsTo(name, this.burst)
  }

  #secondsTo(name: string, tokens: number): number {
    const missing = Math.max(0, tokens - this.tokens(name))
    return Math.max(1, Math.ceil(Number((missing / this.#perMs / 1000).toFixed(6))))
  }
}

/** Takes one token of each bucket, or of none. @returns null: it was taken. Else the seconds until the first that is empty has one */
export function takeEach(counted: readonly (readonly [buckets: TokenBuckets, name: string])[]): number | null {
  const empty = counted.find(([buckets, name]) => buckets.tokens(name) < 1)
  if (empty) return empty[0].secondsToToken(empty[1])
  for (const [buckets, name] of counted) buckets.take(name)
  return null
}
